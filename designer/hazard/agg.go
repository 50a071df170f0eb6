package hazard

import "strings"

// Agg is a call of an aggregate function taken apart: sumStateIf(x, c) is the
// base sum with the combinators State and If.
type Agg struct {
	call   *Expr
	base   string // canonical: sum, uniqExact, quantile
	combos []string
}

// aggregateNames are the aggregate functions rules speak about, by their base name.
var aggregateNames = strings.Fields(`count sum sumWithOverflow sumKahan sumMap sumMapWithOverflow sumMapFiltered sumMappedArrays sumCount avg avgWeighted
 min max minMap maxMap minMappedArrays maxMappedArrays any any_value anyLast any_respect_nulls anyLast_respect_nulls anyHeavy first_value last_value
 first_value_respect_nulls last_value_respect_nulls any_value_respect_nulls singleValueOrNull
 argMin argMax argAndMin argAndMax min_by max_by
 uniq uniqExact uniqCombined uniqCombined64 uniqHLL12 uniqTheta uniqUpTo countDistinct groupBitmap groupBitmapAnd groupBitmapOr groupBitmapXor
 groupUniqArray groupArray groupArrayLast groupArraySorted groupArraySample groupArrayInsertAt groupArrayMovingSum groupArrayMovingAvg groupArrayIntersect
 groupConcat group_concat string_agg array_agg
 quantile quantiles quantileExact quantilesExact quantileExactLow quantilesExactLow quantileExactHigh quantilesExactHigh quantileExactExclusive quantilesExactExclusive
 quantileExactInclusive quantilesExactInclusive quantileExactWeighted quantilesExactWeighted quantileTDigest quantilesTDigest quantileTDigestWeighted quantilesTDigestWeighted
 quantileTiming quantilesTiming quantileTimingWeighted quantilesTimingWeighted quantileDD quantilesDD quantileGK quantilesGK quantileBFloat16 quantilesBFloat16
 quantileBFloat16Weighted quantilesBFloat16Weighted quantileDeterministic quantilesDeterministic quantileInterpolatedWeighted quantilesInterpolatedWeighted
 quantileExactWeightedInterpolated quantilesExactWeightedInterpolated median medianExact medianExactLow medianExactHigh medianExactWeighted medianTDigest medianTDigestWeighted
 medianTiming medianTimingWeighted medianDD medianGK medianBFloat16 medianDeterministic medianInterpolatedWeighted
 topK topKWeighted approx_top_k approx_top_sum approx_top_count
 stddevPop stddevSamp stddevPopStable stddevSampStable varPop varSamp varPopStable varSampStable STD STDDEV_POP STDDEV_SAMP VAR_POP VAR_SAMP
 covarPop covarSamp covarPopStable covarSampStable corr corrStable skewPop skewSamp kurtPop kurtSamp entropy simpleLinearRegression
 deltaSum deltaSumTimestamp boundingRatio groupBitAnd groupBitOr groupBitXor BIT_AND BIT_OR BIT_XOR
 windowFunnel retention sequenceMatch sequenceCount histogram maxIntersections maxIntersectionsPosition intervalLengthSum sparkbar exponentialMovingAverage
 largestTriangleThreeBuckets lttb estimateCompressionRatio`)

// combinators are the suffixes of aggregate functions, the longer ones first.
var combinators = []string{"SimpleState", "OrDefault", "Distinct", "Resample", "ForEach", "ArgMax", "ArgMin", "OrNull", "Tuple", "Merge", "State", "Array", "Map", "If"}

var aggregateByName = func() map[string]string {
	m := map[string]string{}
	for _, n := range aggregateNames {
		m[n] = n
	}
	for _, n := range []string{"sum", "count", "min", "max", "avg", "any"} { // these are known in any case
		m[strings.ToUpper(n)] = n
		m[strings.ToUpper(n[:1])+n[1:]] = n
	}
	m["max_by"], m["min_by"], m["any_value"] = "argMax", "argMin", "any"
	return m
}()

// aggregate takes a call apart, if it calls an aggregate function and no window.
func aggregate(e *Expr) (Agg, bool) {
	if e == nil || e.kind != callExpr || e.window {
		return Agg{}, false
	}
	name, combos := e.name, []string(nil)
	for {
		if base, ok := aggregateByName[name]; ok {
			a := Agg{call: e, base: base, combos: combos}
			if e.distinct {
				a.combos = append(a.combos, "Distinct")
			}
			return a, true
		}
		cut := false
		for _, c := range combinators {
			if rest, ok := strings.CutSuffix(name, c); ok && rest != "" {
				name, combos, cut = rest, append([]string{c}, combos...), true
				break
			}
		}
		if !cut {
			return Agg{}, false
		}
	}
}

// aggregates lists the aggregate calls in an expression, outermost first.
func aggregates(e *Expr) []Agg {
	var out []Agg
	e.walk(func(x *Expr) {
		if a, ok := aggregate(x); ok {
			out = append(out, a)
		}
	})
	return out
}

func hasAggregate(e *Expr) bool { return len(aggregates(e)) > 0 }

func (a Agg) has(combo string) bool { return contains(a.combos, combo) }

// isState tells whether the call gives a state rather than a value.
func (a Agg) isState() bool {
	return a.has("State") || a.has("SimpleState")
}

// arg is the first argument: what is aggregated. It is nil for count().
func (a Agg) arg() *Expr {
	args := a.plainArgs()
	if len(args) == 0 {
		return nil
	}
	return args[0]
}

// plainArgs are the arguments without the condition of If.
func (a Agg) plainArgs() []*Expr {
	if a.has("If") && len(a.call.args) > 0 {
		return a.call.args[:len(a.call.args)-1]
	}
	return a.call.args
}

// addsUp tells whether values of the function may be added to give the whole's.
func (a Agg) addsUp() bool {
	if a.has("Distinct") || a.has("ArgMax") || a.has("ArgMin") {
		return false
	}
	switch a.base {
	case "count", "sum", "sumWithOverflow", "sumKahan", "sumMap", "sumMapWithOverflow", "sumMapFiltered", "sumMappedArrays", "sumCount", "intervalLengthSum":
		return true
	}
	return false
}

// isDistinct tells whether the function counts or collects distinct values.
func (a Agg) isDistinct() bool {
	return strings.HasPrefix(a.base, "uniq") || strings.HasPrefix(a.base, "groupBitmap") || a.base == "countDistinct" ||
		a.base == "groupUniqArray" || a.base == "groupArrayIntersect" || a.has("Distinct")
}

// isExtreme tells whether the function picks one of the values: min, max, any, argMax.
func (a Agg) isExtreme() bool {
	switch a.base {
	case "min", "max", "minMap", "maxMap", "minMappedArrays", "maxMappedArrays", "singleValueOrNull", "groupBitAnd", "groupBitOr", "BIT_AND", "BIT_OR":
		return true
	}
	return a.isAny() || a.isArg()
}

func (a Agg) isAny() bool {
	return strings.HasPrefix(a.base, "any") || strings.HasPrefix(a.base, "first_value") || strings.HasPrefix(a.base, "last_value")
}

// isLastSeen tells whether the function keeps whatever came last.
func (a Agg) isLastSeen() bool {
	return strings.HasPrefix(a.base, "anyLast") || strings.HasPrefix(a.base, "last_value")
}

func (a Agg) isArg() bool {
	return a.base == "argMin" || a.base == "argMax" || a.base == "argAndMin" || a.base == "argAndMax" || a.has("ArgMin") || a.has("ArgMax")
}

// absorbsRepeats tells whether seeing a row twice changes nothing.
func (a Agg) absorbsRepeats() bool { return a.isDistinct() || a.isExtreme() }

func (a Agg) isQuantile() bool {
	return strings.HasPrefix(a.base, "quantile") || strings.HasPrefix(a.base, "median")
}

// isApproximateDistinct tells whether a distinct count is an estimate.
func (a Agg) isApproximateDistinct() bool {
	switch a.base {
	case "uniq", "uniqCombined", "uniqCombined64", "uniqHLL12", "uniqTheta":
		return true
	}
	return false
}
