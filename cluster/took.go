package cluster

import (
	"strconv"
	"time"
)

// Took is how long an answer took; in JSON it is a number of milliseconds.
type Took time.Duration

// MarshalJSON gives milliseconds with one decimal.
func (t Took) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(t)/float64(time.Millisecond), 'f', 1, 64), nil
}

// UnmarshalJSON reads milliseconds.
func (t *Took) UnmarshalJSON(text []byte) error {
	ms, err := strconv.ParseFloat(string(text), 64)
	if err == nil {
		*t = Took(ms * float64(time.Millisecond))
	}
	return err
}

// String reads like "12ms" or "1.2s".
func (t Took) String() string {
	d := time.Duration(t)
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
