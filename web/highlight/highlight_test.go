package highlight

import (
	"fmt"
	"strings"
	"testing"
)

func TestPieces(t *testing.T) {
	for _, c := range []struct{ name, sql, want string }{
		{"keywords, types and functions", "SELECT sumState(x) FROM t FINAL", "hk:SELECT | hf:sumState|(x) |hk:FROM| t |hk:FINAL"},
		{"a type with arguments", "`a b` LowCardinality(Nullable(String))", "hi:`a b`| |ht:LowCardinality|(|ht:Nullable|(|ht:String|))"},
		{"an engine", "ENGINE = ReplacingMergeTree(v)", "hk:ENGINE| = |ht:ReplacingMergeTree|(v)"},
		{"a column called like a keyword", "t.`order`, t.key, key", "t.|hi:`order`|, t.key, key"},
		{"strings with escapes", `'it''s' '\'' 'x`, `hs:'it''s'| |hs:'\''| |hs:'x`},
		{"comments", "1 -- two\n/* three\nfour */ 5", "hn:1| |hc:-- two|\n|hc:/* three\nfour */| |hn:5"},
		{"numbers", "1.5e-3+0xFF", "hn:1.5e-3|+|hn:0xFF"},
		{"small letters in an expression", "status in ('a') and not deleted", "status |hk:in| (|hs:'a'|) |hk:and| |hk:not| deleted"},
		{"markup is text", "<script>'); DROP TABLE x; --", "<script>|hs:'); DROP TABLE x; --"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var parts []string
			for _, p := range Pieces(c.sql) {
				if p.Kind == Plain {
					parts = append(parts, p.Text)
				} else {
					parts = append(parts, fmt.Sprintf("%s:%s", p.Kind, p.Text))
				}
			}
			got := strings.Join(parts, "|")
			if want := strings.ReplaceAll(c.want, "hk:SELECT | ", "hk:SELECT| |"); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func FuzzPiecesLoseNothing(f *testing.F) {
	for _, s := range []string{"", "SELECT 1", "'", "`", "/*", "--", "0x", "1e", "\\", "é`'\"", "\x80\xff", "a.b(c)", "#", "# x\ny"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		var whole strings.Builder
		for _, p := range Pieces(sql) {
			if p.Text == "" {
				t.Fatal("an empty piece")
			}
			whole.WriteString(p.Text)
		}
		if whole.String() != sql {
			t.Fatalf("%q became %q", sql, whole.String())
		}
		lines := Lines(sql)
		if len(lines) != strings.Count(sql, "\n")+1 {
			t.Fatalf("%d lines of %q", len(lines), sql)
		}
		var again []string
		for _, l := range lines {
			text := ""
			for _, p := range l {
				text += p.Text
			}
			again = append(again, text)
		}
		if strings.Join(again, "\n") != sql {
			t.Fatalf("lines of %q became %q", sql, again)
		}
	})
}

func TestFormatBreaksADefinitionIntoLines(t *testing.T) {
	got := Format("CREATE TABLE shop.t (`a` UInt64, `b, (` Decimal(18, 2)) ENGINE = ReplacingMergeTree(v) PARTITION BY toYYYYMM(d) ORDER BY (a, b) SETTINGS x = 1 COMMENT 'no ORDER BY; here'")
	want := "CREATE TABLE shop.t\n(\n    `a` UInt64,\n    `b, (` Decimal(18, 2)\n)\nENGINE = ReplacingMergeTree(v)\nPARTITION BY toYYYYMM(d)\nORDER BY (a, b)\nSETTINGS x = 1\nCOMMENT 'no ORDER BY; here'"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func FuzzFormatAddsOnlyWhiteSpace(f *testing.F) {
	f.Add("CREATE TABLE t (a UInt64) ENGINE = Memory")
	f.Add("CREATE VIEW v AS SELECT ' a  b '")
	f.Fuzz(func(t *testing.T, sql string) {
		bare := func(s string) string {
			return strings.NewReplacer(" ", "", "\n", "").Replace(s)
		}
		if got := Format(sql); bare(got) != bare(sql) {
			t.Fatalf("%q became %q", sql, got)
		}
	})
}
