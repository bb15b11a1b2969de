package selection_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/dplab/dplab/accounting/selection/law"
)

// vectors holds testdata/vectors.json, whose source field says where the values come from.
type vectors struct {
	Source    string `json:"source"`
	Selection struct {
		OpenDP struct {
			Source string
			Rows   []struct {
				Theorem string  `json:"thm"`
				Const   float64 `json:"eps_const"`
				Eta     float64
				Gamma   float64
				Mean    float64
				Alpha   float64
				RDP     any
				X       float64
			}
		} `json:"opendp_tests"`
		Figure7 struct {
			Rows []map[string]float64
			Best []map[string]float64 `json:"expected_best_acc_exact"`
		} `json:"papernot_steinke_fig7"`
		DPSGD struct {
			Source string
			Rows   []struct {
				Sigma, Q, Delta, Mean, Shape, Gamma float64
				Steps                               int
				BaseRDP                             float64 `json:"base_rdp_eps"`
				RDP                                 float64 `json:"eps_ps_rdp"`
				Profile                             float64 `json:"eps_profile"`
			}
		} `json:"dpsgd_tuning"`
		Gaussian struct {
			Rows []struct {
				Dist                        string
				Eta, Gamma, Mean, Mu, Delta float64
				Base                        float64 `json:"base_eps"`
				Exact                       float64 `json:"exact_eps_gauss_score"`
				KRW                         float64 `json:"krw_profile_bound"`
				Profile                     float64 `json:"profile_bound"`
				RDP                         float64 `json:"ps_rdp_bound"`
				Order                       float64 `json:"ps_order"`
			}
		} `json:"exact_gaussian"`
		BelowOne struct {
			Rows []struct{ Mu, Mean, Alpha, Thm6, Exact float64 }
		} `json:"poisson_mean_below_1"`
		Unsound struct {
			Rows []struct{ Gamma, Eps, Alpha, Fig7, Exact float64 }
		} `json:"fig7_log_unsound"`
	} `json:"private_selection"`
	Koskela struct {
		Note string
		Rows []struct {
			Sigma    float64
			SGDRate  float64 `json:"sgd_q"`
			Steps    int
			Delta    float64
			Mu       float64
			Base     float64
			Baseline float64 `json:"ps_baseline"`
		}
	} `json:"koskela_kulkarni"`
	BestOfK struct {
		Note string
		Rows []struct {
			Law                                 string
			Eta, Mean, P                        float64
			Trials                              int
			Monotone, Adversarial, Profile, RDP float64
		}
	} `json:"best_of_k_gaussian"`
}

func readVectors(t testing.TB) vectors {
	t.Helper()
	data, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func near(got, want, relative float64) bool {
	return math.Abs(got-want) <= relative*math.Abs(want)
}

func tnb(t *testing.T, eta, mean float64) law.TNB {
	t.Helper()
	law, err := law.TNBFromMean(eta, mean)
	if err != nil {
		t.Fatal(err)
	}
	return law
}
