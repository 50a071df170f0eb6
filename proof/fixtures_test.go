package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

func TestTry(t *testing.T) {
	e, ctx := engine(t), context.Background()
	feeds := strings.Split(os.Getenv("FEEDS"), ",")
	rounds, _ := strconv.Atoi(os.Getenv("N"))
	for _, feed := range feeds {
		for _, v := range cellDesigns(designer.Feed(feed)) {
			rollup, facts, err := resolve(ctx, e, v)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range pattern.Catalog {
				if w := os.Getenv("P"); w != "" && w != x.ID {
					continue
				}
				if !x.Judge(rollup).Fits() {
					continue
				}
				res, err := ProveStatements(ctx, e, v, facts, fromPlan(x.Plan(rollup)), Options{Rounds: rounds}, nil)
				if err != nil {
					fmt.Println("ERR", v.Name, x.ID, err)
					continue
				}
				fmt.Printf("%s %s ok=%v %d rounds %d cp %.1f/s\n", v.Name, x.ID, res.OK, res.Rounds, len(res.Checkpoints), res.RoundsPerSecond)
				if res.Counterexample != nil {
					s := res.Counterexample.Story()
					fmt.Println(s[:min(len(s), 3500)])
				}
			}
		}
	}
	_ = json.Valid
}
