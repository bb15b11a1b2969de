// Package models holds models to train: those of the papers, and Sequential for your own.
package models
