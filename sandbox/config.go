package sandbox

import (
	"encoding/xml"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// defaultMemoryBytes bounds one engine. It holds a few million rows of a proof
// and leaves a laptop usable.
const defaultMemoryBytes = 4 << 30

// configText is a server's config file. The pools are small because a sandbox
// has one user, and the thresholds beside them keep mutations possible with
// so few threads.
const configText = `<clickhouse>
  <path>%s</path>
  <tmp_path>%s</tmp_path>
  <user_files_path>%s</user_files_path>
  <users_config>%s</users_config>
  <listen_host>127.0.0.1</listen_host>
  <tcp_port>%d</tcp_port>
  <http_port>%d</http_port>
  <timezone>UTC</timezone>
  <mlock_executable>false</mlock_executable>
  <max_server_memory_usage>%d</max_server_memory_usage>
  <mark_cache_size>67108864</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <background_pool_size>2</background_pool_size>
  <background_move_pool_size>1</background_move_pool_size>
  <background_fetches_pool_size>1</background_fetches_pool_size>
  <background_common_pool_size>2</background_common_pool_size>
  <background_schedule_pool_size>8</background_schedule_pool_size>
  <background_buffer_flush_schedule_pool_size>1</background_buffer_flush_schedule_pool_size>
  <background_message_broker_schedule_pool_size>1</background_message_broker_schedule_pool_size>
  <background_distributed_schedule_pool_size>2</background_distributed_schedule_pool_size>
  <merge_tree>
    <number_of_free_entries_in_pool_to_execute_mutation>1</number_of_free_entries_in_pool_to_execute_mutation>
    <number_of_free_entries_in_pool_to_lower_max_size_of_merge>1</number_of_free_entries_in_pool_to_lower_max_size_of_merge>
    <number_of_free_entries_in_pool_to_execute_optimize_entire_partition>1</number_of_free_entries_in_pool_to_execute_optimize_entire_partition>
  </merge_tree>
  <profiles><default/></profiles>
  <users>
    <default>
      <password></password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </default>
%s
  </users>
  <quotas><default/></quotas>
%s
</clickhouse>
`

// logsText turns on the system tables that tell what the engine did.
const logsText = `  <query_log><database>system</database><table>query_log</table><flush_interval_milliseconds>1000</flush_interval_milliseconds></query_log>
  <part_log><database>system</database><table>part_log</table><flush_interval_milliseconds>1000</flush_interval_milliseconds></part_log>
  <query_views_log><database>system</database><table>query_views_log</table><flush_interval_milliseconds>1000</flush_interval_milliseconds></query_views_log>`

// programText keeps a server, unlike the library, from telling all it does.
const programText = `  <logger><level>error</level><console>1</console></logger>`

// writeConfig writes the engine's config file into the run folder.
func (e *Engine) writeConfig(o Options) error {
	extra := o.Config
	if o.Logs {
		extra += "\n" + logsText
	}
	if e.binary.program {
		extra += "\n" + programText
	}
	memory := o.MaxMemoryBytes
	if memory == 0 {
		memory = defaultMemoryBytes
	}
	text := fmt.Sprintf(configText,
		escapeXML(e.dataDir+string(filepath.Separator)),
		escapeXML(filepath.Join(e.runDir, "tmp")+string(filepath.Separator)),
		escapeXML(filepath.Join(e.runDir, "files")+string(filepath.Separator)),
		escapeXML(e.configFile()), e.tcpPort, e.httpPort, memory, o.Users, extra)
	return os.WriteFile(e.configFile(), []byte(text), 0o600)
}

func (e *Engine) configFile() string { return filepath.Join(e.runDir, "config.xml") }

// portsFile is where the engine writes the ports it got.
func (e *Engine) portsFile() string { return filepath.Join(e.runDir, "ports") }

// arguments is the engine's command line. The library listens once it is told
// to and serves until its standard input ends; a clickhouse program is a server
// from the start.
func (e *Engine) arguments() []string {
	if e.binary.program {
		return []string{"server", "--config-file=" + e.configFile()}
	}
	ports := strings.ReplaceAll(strings.ReplaceAll(e.portsFile(), `\`, `\\`), `'`, `\'`)
	return []string{
		"--config-file=" + e.configFile(),
		"--query=SYSTEM START LISTEN QUERIES ALL;" +
			" SELECT getServerPort('tcp_port'), getServerPort('http_port') INTO OUTFILE '" + ports + "' FORMAT TSV;" +
			" SELECT count() FROM file('/dev/stdin', 'LineAsString', 'line String')",
	}
}

// freePort asks the system for a port nobody has. A clickhouse program cannot
// say which one it got, so it is told.
func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}
