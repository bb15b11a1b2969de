// Package fcnn reproduces Figure 1c of Cebere, Bellet, Papernot, "Tighter Privacy Auditing of
// DP-SGD in the Hidden State Threat Model" (arXiv:2405.14457): audits of a network of 68
// parameters on California housing, whose final weights alone are seen, over the steps.
//
//	audits, err := hidden.Load(ctx, hidden.FCNN, hidden.Options{}) // stored scores, or 400 models on the digits: seconds
//	result, err := fcnn.Figure1(audits)
//
// The scores are made by notebooks/train, as the experiment cebere2024/fcnn.
//
// What the paper does not say, and what we do: how the house values become two classes (at
// least 180,000 dollars or less), how features are scaled (by public constants, see
// data/housing), the activation and the shape of the network (8-6-2 with ReLU has 68
// parameters) and its initial weights (Glorot's). The paper's loss is a binary cross-entropy, ours
// the cross-entropy of a softmax over the two outputs. Batches are known to the adversary and
// the same in all runs, as in the paper; ours are the parts of a fixed random order, taken in
// turn.
package fcnn
