// Package verify checks an upper end of ε from its proof, without any search.
package verify
