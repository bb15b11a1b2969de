// The page of an ε: its form is a command line of dpcost, and its answer is that command's.
"use strict";
(() => {
  const by = id => document.getElementById(id);
  const form = by("question"), state = by("state"), stop = by("stop"), submit = form.querySelector("[type=submit]");
  let worker, waiting = new Map(), count = 0, busy = false, linked = location.hash.length > 1, stranger;

  // start loads the program. Stop ends it, and starts it anew.
  const start = () => {
    if (location.protocol === "file:") return fail("A browser runs no program from a file: use go run ./notebooks/site -serve");
    if (typeof WebAssembly !== "object") return fail("This browser has no WebAssembly: use the command line, go run ./accounting/dpcost");
    if (typeof DecompressionStream !== "function") return fail("This browser cannot unpack the program: use a newer one, or the command line, go run ./accounting/dpcost");
    worker = new Worker("price-worker.js");
    worker.onmessage = ({data}) => {
      if (data.failed) return fail("The program cannot be loaded: " + data.failed);
      if (data.ready) {
        submit.disabled = false;
        if (busy) return; // it was asked before Stop had started the program anew
        tell("Ready.");
        if (stranger) tell(`The address has ${stranger.slice(0, 80)}: must be a name and a value of this form.`, "fault");
        else if (linked) form.requestSubmit();
        linked = stranger = false;
        return;
      }
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    };
    worker.onerror = e => fail("The program cannot be loaded: " + (e.message || "price-worker.js is missing"));
  };
  const tell = (message, kind = "") => {
    state.textContent = message;
    state.className = kind;
  };
  const fail = message => {
    tell(message, "fault");
    submit.disabled = true;
    give(message);
  };
  // give ends the questions that have no answer.
  const give = faults => {
    for (const done of waiting.values()) done({code: 1, faults});
    waiting = new Map();
  };

  // run asks dpcost, and returns what it prints. A fault of it is an error.
  const run = (args, input) => new Promise((resolve, reject) => {
    waiting.set(++count, ({code, text, faults}) => code === 0 ? resolve(text) : reject(new Error(faults.trim() || `exit code ${code}`)));
    worker.postMessage({id: count, args, input});
  });

  const value = name => form.elements[name].value.trim();
  const isShuffled = () => ["shuffled", "shuffled-once", "fixed"].includes(value("batches"));

  // shown hides what the question does not need.
  const shown = () => {
    for (const e of form.querySelectorAll("[data-for]")) e.hidden = !e.dataset.for.split(" ").includes(value("ask"));
    for (const e of form.querySelectorAll("[data-if]")) {
      const [name, wanted] = e.dataset.if.split("=");
      e.hidden = value(name) !== wanted;
    }
    form.elements.neighboring.disabled = isShuffled();
    if (isShuffled()) form.elements.neighboring.value = "add-or-remove-one"; // the answer names the other relations
    for (const e of form.querySelectorAll("input, select, textarea")) if (e.name !== "ask") e.disabled = e.closest("[hidden]") !== null || e.name === "neighboring" && isShuffled();
  };

  // training returns the flags of one run.
  const training = () => {
    const flags = ["-examples", value("examples"), "-batch", value("batch"), "-epochs", value("epochs")];
    if (value("batches") !== "poisson") flags.push("-batches", value("batches"));
    if (value("batches") === "capped") flags.push("-cap", value("cap"));
    return flags;
  };

  // commandLine returns the arguments of dpcost.
  const commandLine = () => {
    const rest = ["-" + value("given"), value(value("given")), "-delta", value("delta")];
    if (value("ask") === "sgd") return ["sgd", ...training(), ...rest];
    const law = ["-law", value("law"), value("law") === "fixed" ? "-count" : "-mean", value("mean")];
    if (value("release") === "first") law.push("-release", "first");
    return ["tune", ...law, "-base", "sgd", ...training(), ...rest];
  };

  const shell = words => words.map(w => /^[\w.+-]+$/.test(w) ? w : `'${w.replaceAll("'", `'\\''`)}'`).join(" ");

  const relations = {"add-or-remove-one": "AddOrRemoveOne", "replace-special": "ReplaceSpecial", "replace-one": "ReplaceOne"};
  const program = (event, relation, delta) => `package main

import (
	"fmt"
	"log"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/auto"
	"github.com/dplab/dplab/accounting/eventjson"
)

const mechanism = \`${JSON.stringify(event, null, "  ")}\`

func main() {
	event, err := eventjson.Unmarshal([]byte(mechanism))
	if err != nil {
		log.Fatal(err)
	}
	accountant, err := auto.NewAccountantFor(accounting.${relations[relation]})
	if err != nil {
		log.Fatal(err)
	}
	guarantee, err := accountant.EpsilonAt(event, ${delta})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(guarantee)
}
`;

  // part shows one part of the answer, or hides it if it has nothing.
  const part = (id, text) => {
    const e = by(id);
    (e.closest("[data-part]") || e).hidden = !text;
    e.textContent = text || "";
  };

  // headline returns the ends of ε in a printed answer.
  const headline = text => {
    const [, first = "", second] = text.match(/^epsilon +((?:<= |>= |about )?\S+)(?:[^\n]*\n +(>= \S+))?/m) || [];
    return (second ? first + ", " + second : first).replaceAll("<=", "≤").replaceAll(">=", "≥") + (first.startsWith("about") ? " (estimated, not checked)" : "");
  };

  const price = async answered => {
    const asked = commandLine(), relation = value("neighboring");
    if (/[,\s]/.test(value(value("given")))) throw new Error(`${value(value("given"))}: must be one number, with a decimal point.`);
    if (relation !== "add-or-remove-one" && value("given") !== "noise") throw new Error("A wanted ε needs neighbors of one example more or fewer: give a noise multiplier for other neighbors.");
    for (const e of by("answer").querySelectorAll("[data-part]")) e.hidden = true;
    part("command", "dpcost " + shell(asked));
    // show has the answer for people first, and what takes its proof after it.
    const show = (text, relation) => {
      by("answer").hidden = false;
      part("headline", `ε ${headline(text)} at δ = ${value("delta")}, ${relation}`);
      part("text", text);
      answered();
    };
    const began = performance.now();
    const inJSON = [...asked, "-statement", "-json"];
    let json, plan;
    if (relation === "add-or-remove-one") {
      const text = await run(asked);
      show(text, relation);
      json = await run(inJSON);
    } else {
      const event = JSON.parse(await run(inJSON)).certificate?.proof?.event;
      if (!event) throw new Error("This mechanism has no price for these neighbors.");
      plan = JSON.stringify({neighboring: relation, delta: Number(value("delta")), events: [event]}, null, "  ");
      show(await run(["plan", "-"], plan), relation);
      json = await run(["plan", "-", "-statement", "-json"], plan);
    }
    const answer = JSON.parse(json), proof = answer.certificate?.proof;
    if (plan) part("command", "dpcost plan plan.json");
    part("plan", plan);
    part("go", proof ? program(proof.event, answer.neighboring, answer.delta) : "");
    part("statement", answer.statement);
    part("json", proof ? "answer.json" : "");
    by("json").href = URL.createObjectURL(new Blob([json], {type: "application/json"}));
    by("link").href = location.href;
    part("link", "this link");
    if (asked[0] === "sgd" && relation === "add-or-remove-one") {
      const points = performance.now() - began < 2000 ? "21" : "6"; // a point may cost as much as the answer
      const noise = answer.noise_multiplier ?? value("noise");
      const curve = JSON.parse(await run(["curve", "-base", "sgd", ...training(), "-noise", String(noise), "-delta", value("delta"), "-over", "epochs", "-points", points, "-json"]));
      by("curve").replaceChildren(draw(curve));
      by("curve").hidden = false;
    }
  };

  const verify = async () => {
    const answer = form.elements.answer.value;
    if (!answer.trim()) throw new Error("No answer: drop, choose or paste the JSON of dpcost -json.");
    const verdict = await run(["verify", "-"], answer);
    by("answer").hidden = false;
    for (const e of by("answer").querySelectorAll("[data-part]")) e.hidden = true;
    part("headline", "Verified.");
    part("text", verdict);
  };

  // draw returns an SVG of ε over epochs: the upper end, from 0 on both axes.
  const draw = ({points, delta}) => {
    const svg = (tag, attributes, text) => {
      const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
      for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
      if (text !== undefined) e.textContent = text;
      return e;
    };
    const left = 56, right = 12, top = 12, bottom = 44, width = 480, height = 280;
    const most = axis => {
      const step = 10 ** Math.floor(Math.log10(axis)), unit = [1, 2, 5, 10].find(u => axis <= 5 * u * step / 2) * step / 2;
      return [Math.ceil(axis / unit - 1e-9) * unit, unit];
    };
    const uppers = points.map(p => p.y.upper).filter(Number.isFinite), highest = Math.max(...uppers);
    if (!(highest > 0)) return document.createTextNode(`ε is ${uppers.length ? 0 : "infinite"} along the whole run.`);
    const [xMost, xUnit] = most(Math.max(...points.map(p => p.x))), [yMost, yUnit] = most(highest);
    const x = v => left + v / xMost * (width - left - right), y = v => height - bottom - v / yMost * (height - top - bottom);
    const figure = svg("svg", {viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `ε at δ = ${delta} over epochs, upper end`});
    const short = v => String(+v.toPrecision(6));
    for (let v = 0; v <= xMost * 1.0001; v += xUnit) figure.append(svg("path", {d: `M${x(v)} ${y(0)}v4`, class: "axis"}), svg("text", {x: x(v), y: y(0) + 17, "text-anchor": "middle"}, short(v)));
    for (let v = 0; v <= yMost * 1.0001; v += yUnit) figure.append(svg("path", {d: `M${left} ${y(v)}H${width - right}`, class: v ? "grid" : "axis"}), svg("text", {x: left - 6, y: y(v) + 4, "text-anchor": "end"}, short(v)));
    figure.append(
      svg("path", {d: `M${left} ${top}V${y(0)}`, class: "axis"}),
      svg("path", {d: "M" + points.filter(p => Number.isFinite(p.y.upper)).map(p => `${x(p.x)} ${y(p.y.upper)}`).join("L"), class: "line"}),
      svg("text", {x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle"}, "epochs"),
      svg("text", {x: 14, y: (top + height - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 14 ${(top + height - bottom) / 2})`}, `ε at δ = ${delta} (upper end)`));
    return figure;
  };

  form.addEventListener("input", shown);
  form.addEventListener("submit", async e => {
    e.preventDefault();
    if (submit.disabled || busy) return;
    if (value("ask") !== "verify") history.replaceState(null, "", "#" + new URLSearchParams([...new FormData(form)].filter(([name]) => name !== "file" && name !== "answer")));
    const began = performance.now(), seconds = () => ((performance.now() - began) / 1000).toFixed(1);
    const clock = setInterval(() => tell(`Computing, ${seconds()} s`), 200);
    busy = true;
    stop.hidden = false;
    state.className = "";
    by("answer").hidden = true;
    const answered = () => {
      clearInterval(clock);
      tell(`Answered in ${seconds()} s.`);
    };
    try {
      await (value("ask") === "verify" ? verify() : price(answered));
      answered();
    } catch (err) {
      clearInterval(clock);
      tell(err.message, "fault");
    }
    if (document.activeElement === stop) submit.focus(); // a hidden button loses it
    stop.hidden = true;
    busy = false;
  });
  stop.addEventListener("click", () => {
    worker.terminate();
    give("Stopped.");
    history.replaceState(null, "", location.pathname);
    start();
  });

  const take = async file => {
    form.elements.answer.value = "";
    try {
      if (file.size > 1 << 24) throw new Error("more than 16777216 bytes");
      form.elements.answer.value = new TextDecoder("utf-8", {fatal: true}).decode(await file.arrayBuffer());
      tell(`${file.name} is here: press Ask.`);
    } catch (err) {
      tell(`${file.name}: ${err instanceof TypeError ? "not UTF-8 text" : err.message}: must be a file of dpcost -json.`, "fault");
    }
  };
  form.elements.file.addEventListener("change", e => e.target.files[0] && take(e.target.files[0]));
  by("drop").addEventListener("dragover", e => e.preventDefault());
  by("drop").addEventListener("drop", e => {
    e.preventDefault();
    if (e.dataTransfer.files[0]) take(e.dataTransfer.files[0]);
  });

  for (const [name, text] of new URLSearchParams(location.hash.slice(1))) {
    const field = [...form.elements].some(e => e.name === name) && !["", "file", "answer"].includes(name) && form.elements[name];
    if (field) field.value = text;
    if (!field || field.value !== text) stranger ||= `${name}=${text}`;
  }
  window.addEventListener("hashchange", () => location.reload()); // another link, in the same tab
  shown();
  start();
})();
