package pattern

import (
	"fmt"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/ddl"
)

// Refreshable recomputes the answer from the source on a schedule.
var Refreshable = &designer.Pattern{
	ID:    "refreshable",
	Title: "The answer itself, recomputed from the source on a schedule",
	Price: "Reads one finished row per grain; each refresh reads the whole source with FINAL.",
	Judge: judgeRefreshable,
	Plan:  planRefreshable,
}

func judgeRefreshable(r *designer.Rollup) designer.Verdict {
	v := designer.Verdict{For: []designer.Reason{reason("recomputed-from-truth", fmt.Sprintf("Each refresh asks %s itself, each entity once, and swaps the whole answer in; between refreshes it is at most %s old.", r.Source.Table, r.Freshness))}}
	if r.Freshness == "insert" {
		v.Against = append(v.Against, reason("freshness-insert", "An answer must hold every row inserted before it, and a scheduled one is as old as its last refresh. Allow some staleness to choose it."))
	} else if iv, _ := designer.ParseInterval(r.Freshness); iv.Seconds() < 2 {
		v.Against = append(v.Against, reason("freshness-too-tight", fmt.Sprintf("A refresh every %s cannot be kept: it reads the whole source.", r.Freshness)))
	}
	v.Against = append(v.Against, finishedPerShard(r)...)
	return v
}

// finishedPerShard says why finished answers do not go with shards.
func finishedPerShard(r *designer.Rollup) []designer.Reason {
	if r.Deployment.OnCluster == "" {
		return nil
	}
	return []designer.Reason{reason("finished-per-shard", fmt.Sprintf("On cluster %s each shard would keep the finished answer of its own rows, and finished distincts, averages and quantiles of shards cannot be put together.", r.Deployment.OnCluster))}
}

// schedule gives half of the staleness allowed: a refresh that starts on time
// and takes as long again still keeps it.
func schedule(freshness string) string {
	iv, err := designer.ParseInterval(freshness)
	if err != nil {
		return "EVERY 5 MINUTE"
	}
	half := max(iv.Seconds()/2, 1)
	for _, u := range []struct {
		seconds int64
		name    string
	}{{86400, "DAY"}, {3600, "HOUR"}, {60, "MINUTE"}} {
		if half >= u.seconds {
			return fmt.Sprintf("EVERY %d %s", half/u.seconds, u.name)
		}
	}
	return fmt.Sprintf("EVERY %d SECOND", half)
}

// answerTable gives a table with the columns of an answer.
func answerTable(r *designer.Rollup) ddl.CreateTable {
	t := ddl.CreateTable{Columns: grainColumns(r, r.Bucket), OrderBy: grainKey(r), Settings: keySettings(r)}
	for _, m := range r.Measures {
		t.Columns = append(t.Columns, ddl.ColumnDef{Name: m.Name, Type: string(r.ResultType(m))})
	}
	return t
}

func planRefreshable(r *designer.Rollup) *ddl.Plan {
	b := begin(r, "refreshable")
	table := answerTable(r)
	table.Engine = "MergeTree"
	b.create("current", "Holds the finished answer, one row per grain. Each refresh fills a new table and swaps it in, so readers see the old answer or the new one.", table)
	b.holds("current")
	query := r.Answer(r.Live(), false)
	query.Settings = r.ReadSettings(r.PartitionsHoldEntities())
	v := ddl.CreateView{Database: r.Target.Database, Name: b.name("refresh"), OnCluster: r.Deployment.OnCluster,
		To: b.table("current"), Refresh: schedule(r.Freshness), Select: query}
	b.step(ddl.Step{Name: v.Name, SQL: v.SQL(), Undo: b.drop("VIEW", "refresh"), MinVersion: "24.10",
		Why: "Recomputes the answer at half the staleness that is allowed, so that a slow refresh still keeps it. It replaces the answer and never appends: appending would count every refresh."})
	refresh := fmt.Sprintf("SYSTEM REFRESH VIEW %s;\nSYSTEM WAIT VIEW %s;\n", b.table("refresh"), b.table("refresh"))
	b.plan.Backfill = ddl.Comment("A refresh takes all of history; this one is run now and waited for. Safe to run again.") + refresh
	b.plan.Correct = ddl.Comment("The next refresh repairs everything; this one is run now and waited for, whatever the window. Safe to run again.") + refresh
	read := ddl.Select{From: b.readable("current")}
	for _, n := range append(r.GrainNames(), r.MetricNames()...) {
		read.Items = append(read.Items, ddl.Col(n))
	}
	return b.readView(read, false, "Reads the finished answer. Dashboards that use this name do not notice when the design changes.")
}
