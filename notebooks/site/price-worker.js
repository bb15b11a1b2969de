// One question at a time to dpcost, away from the page's own thread: {args, input} in, {code, text} out.
"use strict";
importScripts("wasm_exec.js");

const compiled = (async () => {
  const response = await fetch("dpcost.wasm.gz");
  if (!response.ok) throw new Error(`dpcost.wasm.gz: ${response.status} ${response.statusText}`);
  let body = new Response(await response.arrayBuffer());
  if (!response.headers.get("Content-Encoding")) body = new Response(body.body.pipeThrough(new DecompressionStream("gzip")));
  return WebAssembly.compile(await body.arrayBuffer());
})();
// The first question compiles what it runs, so that the reader's first one takes no longer than others.
let last = compiled.then(() => ask(["sgd", "-rate", "0.01", "-noise", "1", "-steps", "100"], ""));
last.then(() => postMessage({ready: true}), err => postMessage({failed: err.message}));

async function ask(args, input) {
  const rest = new TextEncoder().encode(input), decoder = new TextDecoder();
  let text = "", faults = "", read = 0, code = 0;
  fs.writeSync = (fd, bytes) => {
    if (fd === 1) text += decoder.decode(bytes, {stream: true});
    else faults += new TextDecoder().decode(bytes);
    return bytes.length;
  };
  fs.read = (fd, buffer, offset, length, position, done) => {
    const part = rest.subarray(read, read + length);
    buffer.set(part, offset);
    read += part.length;
    done(null, part.length);
  };
  const go = new Go();
  go.argv = ["dpcost", ...args];
  go.exit = c => { code = c; };
  await go.run(await WebAssembly.instantiate(await compiled, go.importObject));
  for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer); // they would wake a program that has ended
  return {code, text, faults};
}

onmessage = ({data: {id, args, input = ""}}) => {
  last = last.then(() => ask(args, input)).then(
    answer => postMessage({id, ...answer}),
    err => postMessage({id, code: 1, text: "", faults: `dpcost: ${err.message}`}));
};
