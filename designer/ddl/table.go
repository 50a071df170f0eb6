package ddl

import "strings"

// ColumnDef is one column of a table that is created.
type ColumnDef struct {
	Name    string
	Type    string
	Comment string
}

// CreateTable is a target table.
type CreateTable struct {
	Database, Name string
	OnCluster      string
	Columns        []ColumnDef
	Engine         string
	PartitionBy    string
	OrderBy        []string
	TTL            string
	Settings       []Setting
	Comment        string
}

// SQL prints the statement without a semicolon.
func (t CreateTable) SQL() string {
	var b strings.Builder
	b.WriteString("CREATE TABLE " + Table(t.Database, t.Name) + onCluster(t.OnCluster) + "\n(\n")
	for i, c := range t.Columns {
		b.WriteString("    " + Ident(c.Name) + " " + c.Type)
		if c.Comment != "" {
			b.WriteString(" COMMENT " + Literal(c.Comment))
		}
		if i < len(t.Columns)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString(")\nENGINE = " + t.Engine + "\n")
	if t.PartitionBy != "" {
		b.WriteString("PARTITION BY " + t.PartitionBy + "\n")
	}
	if len(t.OrderBy) == 0 && strings.HasSuffix(strings.SplitN(t.Engine, "(", 2)[0], "MergeTree") {
		b.WriteString("ORDER BY tuple()\n")
	} else if len(t.OrderBy) > 0 {
		b.WriteString("ORDER BY (" + strings.Join(t.OrderBy, ", ") + ")\n")
	}
	if t.TTL != "" {
		b.WriteString("TTL " + t.TTL + "\n")
	}
	if len(t.Settings) > 0 {
		b.WriteString("SETTINGS " + strings.Join(settingText(t.Settings), ", ") + "\n")
	}
	if t.Comment != "" {
		b.WriteString("COMMENT " + Literal(t.Comment) + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// CreateView is a view: materialized where To is set, refreshable where Refresh
// is too (what stands behind REFRESH: "EVERY 5 MINUTE").
type CreateView struct {
	Database, Name string
	OnCluster      string
	To             string // quoted target
	Refresh        string
	Append         bool
	Empty          bool
	Select         Select
}

// SQL prints the statement without a semicolon.
func (v CreateView) SQL() string {
	var b strings.Builder
	b.WriteString("CREATE ")
	if v.To != "" {
		b.WriteString("MATERIALIZED ")
	}
	b.WriteString("VIEW " + Table(v.Database, v.Name) + onCluster(v.OnCluster) + "\n")
	if v.Refresh != "" {
		b.WriteString("REFRESH " + v.Refresh + "\n")
		if v.Append {
			b.WriteString("APPEND\n")
		}
	}
	if v.To != "" {
		b.WriteString("TO " + v.To + "\n")
	}
	if v.Empty {
		b.WriteString("EMPTY\n")
	}
	b.WriteString("AS\n" + v.Select.SQL())
	return b.String()
}

// Insert prints INSERT INTO target (columns) SELECT …, without a semicolon. The
// settings of the query stand at its end.
func Insert(target string, columns []string, query Select) string {
	return "INSERT INTO " + target + "\n    (" + strings.Join(Idents(columns), ", ") + ")\n" + query.SQL()
}

func onCluster(name string) string {
	if name == "" {
		return ""
	}
	return " ON CLUSTER " + Ident(name)
}

// OnCluster gives the clause with a space before it, or nothing.
func OnCluster(name string) string { return onCluster(name) }
