// Package audits has the audits of Xiang, Wang and Wang (arXiv 2402.13087): Figures 1 to 4 and 7 to
// 9, and Table 3.
//
// Trained models (Figures 1 to 3, Table 3) are audited in two ways. The experiment [Tuning] plays
// games with small networks on digits. [FashionBank] and [CIFARBank] train single runs on the
// paper's data, each weighted by the chance that tuning releases it. Figures 7 to 9 are of these.
// What is left out: the paper's networks, which it does not print, and SVHN.
//
// It promises nothing to other modules.
package audits
