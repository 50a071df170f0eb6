package cluster

import (
	"context"
	"fmt"
)

// SignFacts says whether state and cancel rows of a collapsing feed balance.
type SignFacts struct {
	Keys      uint64 `ch:"keys" json:"keys"`
	Live      uint64 `ch:"live" json:"live"`             // entities whose signs add up to 1
	Gone      uint64 `ch:"gone" json:"gone"`             // to 0
	Uncancel  uint64 `ch:"several" json:"several"`       // above 1: a state row lacks its cancel row, or came twice
	Negative  uint64 `ch:"negative" json:"negative"`     // below 0: a cancel row lacks its state row, or came twice
	Mismatch  uint64 `ch:"mismatch" json:"mismatch"`     // a cancel row whose values no state row has
	OtherSign uint64 `ch:"other_sign" json:"other_sign"` // rows whose sign is neither 1 nor -1
	Basis     Basis  `json:"basis"`
}

const signsSQL = `SELECT
    toUInt64(count()) AS keys, toUInt64(countIf(__s = 1)) AS live, toUInt64(countIf(__s = 0)) AS gone,
    toUInt64(countIf(__s > 1)) AS several, toUInt64(countIf(__s < 0)) AS negative,
    toUInt64(countIf(__worst < 0 AND __s >= 0)) AS mismatch, toUInt64(sum(__other)) AS other_sign
FROM (
    SELECT sum(__hs) AS __s, min(__hs) AS __worst, sum(__ho) AS __other
    FROM (
        SELECT %s AS __k, sum(toInt64(%s)) AS __hs, countIf(abs(%s) != 1) AS __ho
        FROM %s
        WHERE %s
        GROUP BY __k, %s
    )
    GROUP BY __k
)`

func (c *Cluster) measureSigns(ctx context.Context, m *Measurement) error {
	s := m.Source
	sign := ident(s.Sign)
	ask := Ask{For: "sign probe", Limit: Probe, SQL: fmt.Sprintf(signsSQL, keyTuple(s), sign, sign, tableName(s.Database, s.Table), m.Sample.Where, hashOf(payload(s)))}
	found, cost, err := Rows[SignFacts](ctx, c, ask)
	if err != nil {
		return err
	}
	m.Signs = &found[0]
	m.Signs.Basis = m.measured(ask, cost, m.Sample)
	return nil
}
