package dpsgd

// SetDefaultBackend opens a backend and makes it the one that an empty name means.
func SetDefaultBackend(name string) error {
	_, err := openBackend(name)
	if err == nil {
		defaultBackend = name
	}
	return err
}

// DefaultBackend returns the backend that an empty name means.
func DefaultBackend() string { return defaultBackend }

// SensitivityRounding is sensitivityRounding.
const SensitivityRounding = sensitivityRounding
