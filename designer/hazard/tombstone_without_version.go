package hazard

var tombstoneWithoutVersion = &Rule{
	Code:     "tombstone-without-version",
	Title:    "Delete rows without a version lose",
	Doc:      "A delete row whose version is left out gets the type's default, zero, and every live version beats it.",
	Severity: Error,
	View:     checkTombstoneVersion,
	Script:   checkTombstoneInsert,
}

func checkTombstoneVersion(v *View) []Finding {
	flag, version := v.flag(), v.target.versionColumn()
	if v.lastStates() {
		version = v.argMaxVersion()
	}
	if !v.incremental() || flag == "" || version == "" || v.source.replacing() || v.feed != "" && v.feed != "upsert" {
		return nil
	}
	if !v.lastStates() && !(v.mirror() && v.target.replacing()) {
		return nil
	}
	if c := v.source.column(version); c == nil || c.Default != "" {
		return nil
	}
	return when(
		sentence("delete rows are written to %s without %s", v.source.Name, version),
		sentence("A delete row of %s that leaves out %s has version 0 and loses to the row it deletes.", v.source.Name, version),
		sentence("%s; delete flag %s", v.target.declared(), flag),
		sentence("Give %s a default that grows, such as toUnixTimestamp64Nano(now64(9)), or write it with every delete row.", version),
	)
}

// argMaxVersion names the column that argMax orders by.
func (v *View) argMaxVersion() string {
	for _, a := range v.aggs() {
		if args := a.plainArgs(); a.base == "argMax" && len(args) > 1 && args[1].kind == columnExpr {
			return args[1].name
		}
	}
	return ""
}

// checkTombstoneInsert finds INSERTs of delete rows that leave the version out.
func checkTombstoneInsert(s *Script) []ScriptFinding {
	var out []ScriptFinding
	for _, st := range s.steps {
		t := s.cat.table(st.db, st.name)
		flag, version := t.deletedColumn(), t.versionColumn()
		if st.does != insertAction || flag == "" || !contains(st.columns, flag) {
			continue
		}
		for _, v := range s.cat.views {
			if v.source != t || v.err != nil {
				continue
			}
			if version == "" {
				version = v.target.versionColumn()
			}
			c := t.column(version)
			if c == nil || c.Default != "" || contains(st.columns, version) {
				continue
			}
			f := one(sentence("A statement writes delete rows to %s without %s: they have version 0 and lose.", t.Name, version), st.short(), sentence("Write %s with every delete row.", version))
			out = append(out, ScriptFinding{v, f[0]})
		}
	}
	return out
}

// flag is the delete flag of the source, by its own name or because the
// target's engine is given it.
func (v *View) flag() string {
	if f := v.source.deletedColumn(); f != "" || !v.target.replacing() {
		return f
	}
	if o := v.output(v.target.deletedColumn()); o != nil && o.expr.kind == columnExpr {
		return o.expr.name
	}
	return ""
}
