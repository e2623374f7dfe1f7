package cases_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// row is one report: what it found, and the tests that would find it here, each as
// folder/file#Test from the top of the tree. A row without tests says why.
type row struct {
	id, area, what string
	tests          []string
	why            string
}

// rows are the reports that this project has to do with, as a server or as a client.
var rows = []row{
	{id: "B01", area: "json", what: "names are folded", tests: []string{"httpmcp/reported_test.go#TestNoMessages", "jsonrpc/scan_test.go#"}},
	{id: "B02", area: "json", what: "a second name in other letters wins", tests: []string{"httpmcp/reported_test.go#TestNoMessages", "jsonrpc/scan_test.go#"}},
	{id: "B04", area: "json", what: "NUL in a name is passed over", tests: []string{"jsonrpc/scan_test.go#"}},
	{id: "B05", area: "json", what: "bytes that are no UTF-8 end the server", tests: []string{"jsonrpc/scan_test.go#", "jsonrpc/wire_test.go#", "stdio/serve_test.go#"}},
	{id: "B07", area: "json", what: "U+2028 and U+2029 stand there as they are", tests: []string{"jsonrpc/encode_test.go#", "mcp/content_test.go#", "stdio/serve_test.go#"}},
	{id: "B08", area: "json", what: "<, > and & are escaped", tests: []string{"jsonrpc/encode_test.go#"}},
	{id: "B10", area: "json", what: "numbers lose digits", tests: []string{"mcp/exact_test.go#", "testfixtures/clients/calls_test.go#TestB10Exact"}},
	{id: "B11", area: "json", what: "params that are no object", tests: []string{"jsonrpc/scan_test.go#", "jsonrpc/wire_test.go#"}},
	{id: "B13", area: "json", what: "unknown members are refused", tests: []string{"jsonrpc/scan_test.go#", "discover/cases_test.go#", "legacy/handshake_test.go#"}},
	{id: "B14", area: "json", what: "no JSON-RPC is run, or dropped", tests: []string{"httpmcp/reported_test.go#TestNoMessages", "jsonrpc/wire_test.go#"}},
	{id: "B16", area: "id", what: "an id loses digits", tests: []string{"jsonrpc/scan_test.go#", "jsonrpc/wire_test.go#"}},
	{id: "B17", area: "id", what: "an id that is a text changes", tests: []string{"jsonrpc/scan_test.go#", "jsonrpc/wire_test.go#"}},
	{id: "B19", area: "id", what: "null is an id, or a notification", tests: []string{"httpmcp/reported_test.go#TestNoMessages", "jsonrpc/wire_test.go#"}},
	{id: "B20", area: "id", what: "an id that is no integer is rewritten", tests: []string{"jsonrpc/scan_test.go#", "jsonrpc/wire_test.go#"}},
	{id: "B22", area: "id", what: "an object is an id", tests: []string{"httpmcp/reported_test.go#TestNoMessages", "jsonrpc/wire_test.go#"}},
	{id: "B23", area: "id", what: "an id in flight is taken again", tests: []string{"httpmcp/reported_test.go#TestIDInFlight", "jsonrpc/reading_test.go#"}},
	{id: "B25", area: "stdio", what: "a bad line ends the connection", tests: []string{"jsonrpc/wire_test.go#", "stdio/lines_test.go#", "stdio/serve_test.go#"}},
	{id: "B26", area: "stdio", what: "a byte order mark is no JSON", tests: []string{"stdio/lines_test.go#", "stdio/serve_test.go#"}},
	{id: "B28", area: "stdio", what: "empty lines are errors", tests: []string{"stdio/lines_test.go#", "stdio/serve_test.go#"}},
	{id: "B29", area: "stdio", what: "long lines are refused", tests: []string{"stdio/lines_test.go#", "stdio/serve_test.go#", "stdio/link_test.go#TestLink"}},
	{id: "B31", area: "stdio", what: "half a line is lost", tests: []string{"stdio/buffer_test.go#", "stdio/serve_test.go#"}},
	{id: "B32", area: "stdio", what: "a child takes the input, or what is printed mixes in", tests: []string{"stdio/child_test.go#"}},
	{id: "B34", area: "stdio", what: "two messages on a line", tests: []string{"jsonrpc/scan_test.go#", "jsonrpc/wire_test.go#", "stdio/serve_test.go#"}},
	{id: "B35", area: "stdio", what: "errors are answered with errors", tests: []string{"jsonrpc/scan_test.go#", "jsonrpc/wire_test.go#", "stdio/serve_test.go#", "jsonrpc/client_test.go#TestAskAmongOtherMessages", "stdio/client_odd_test.go#TestOddRequests"}},
	{id: "B37", area: "http", what: "Accept must list both types", tests: []string{"httpmcp/headers_test.go#TestTypesOfBodies"}},
	{id: "B38", area: "http", what: "one type alone is refused", tests: []string{"httpmcp/headers_test.go#TestTypesOfBodies"}},
	{id: "B40", area: "http", what: "parameters and letter case of Accept matter", tests: []string{"httpmcp/headers_test.go#TestTypesOfBodies"}},
	{id: "B41", area: "http", what: "a charset is refused", tests: []string{"httpmcp/headers_test.go#TestTypesOfBodies"}},
	{id: "B43", area: "http", what: "a part of Content-Type is enough", tests: []string{"httpmcp/headers_test.go#TestTypesOfBodies"}},
	{id: "B44", area: "http", what: "methods that are not served are 404, or hang", tests: []string{"httpmcp/reported_test.go#TestOtherMethods"}},
	{id: "B46", area: "http", what: "a notification is answered with a body", tests: []string{"httpmcp/legacy_test.go#TestSession"}},
	{id: "B47", area: "http", what: "the length of a body is believed", tests: []string{"httpmcp/bounds_test.go#TestBodyBounds"}},
	{id: "B49", area: "http", what: "another path is redirected to", tests: []string{"httpmcp/reported_test.go#TestAnyPath"}},
	{id: "B50", area: "http", what: "pages can call, and read no answer", tests: []string{"httpmcp/headers_test.go#TestRefusalsCanBeRead", "httpmcp/cors_test.go#TestPreflight"}},
	{id: "B52", area: "sse", what: "a text ends its event", tests: []string{"httpmcp/sse_test.go#TestEventBytes", "httpmcp/deprecated_test.go#TestDeprecatedOneEvent"}},
	{id: "B53", area: "sse", what: "lines of data are messages of their own", tests: []string{"httpmcp/client_modern_test.go#TestModernAnswers", "httpmcp/client_sse_test.go#TestEventReader"}},
	{id: "B55", area: "sse", what: "a comment, a foreign name or no data ends the client", tests: []string{"httpmcp/client_modern_test.go#TestModernAnswers", "httpmcp/client_sse_test.go#TestEventReader"}},
	{id: "B56", area: "sse", what: "an event without data where clients know none", tests: []string{"httpmcp/legacy_calls_test.go#TestStreamOfCall"}},
	{id: "B58", area: "sse", what: "the last event waits in a buffer", tests: []string{"httpmcp/reported_test.go#TestStreamIsFlushed"}},
	{id: "B59", area: "sse", what: "a writer that cannot flush hangs", tests: []string{"httpmcp/reported_test.go#TestNoWayToFlush", "httpmcp/sse_test.go#TestEventNeedsFlush", "httpmcp/deprecated_end_test.go#TestDeprecatedNeedsFlush"}},
	{id: "B61", area: "sse", what: "a quiet stream is dead", tests: []string{"httpmcp/sse_test.go#TestEventKeepAlive"}},
	{id: "B62", area: "sse", what: "JSON behind events", tests: []string{"httpmcp/reported_test.go#TestStreamIsFlushed"}},
	{id: "B64", area: "session", what: "an id that was never given is a session", tests: []string{"httpmcp/legacy_session_test.go#TestSessionIDs"}},
	{id: "B65", area: "session", what: "ids of sessions can be guessed", tests: []string{"httpmcp/legacy_session_test.go#TestSessionIDs"}},
	{id: "B67", area: "session", what: "DELETE ends nothing", tests: []string{"httpmcp/legacy_test.go#TestSession", "httpmcp/legacy_calls_test.go#TestDeleteFrees"}},
	{id: "B68", area: "session", what: "who knows the id has the session", tests: []string{"httpmcp/legacy_session_test.go#TestPrincipals"}},
	{id: "B70", area: "session", what: "a dead stream keeps the next one out", tests: []string{"httpmcp/legacy_get_test.go#TestGetTakesOver"}},
	{id: "B71", area: "session", what: "clients with the same ids get each other's answers", tests: []string{"httpmcp/legacy_session_test.go#TestSameIDs"}},
	{id: "B73", area: "lifecycle", what: "initialize without params ends the server", tests: []string{"httpmcp/reported_test.go#TestNegotiation", "legacy/handshake_test.go#"}},
	{id: "B74", area: "lifecycle", what: "initialize without an id opens a session", tests: []string{"httpmcp/legacy_session_test.go#TestOnlyInitializeOpens"}},
	{id: "B76", area: "lifecycle", what: "a session is initialized twice", tests: []string{"httpmcp/legacy_test.go#TestSession"}},
	{id: "B77", area: "lifecycle", what: "an unknown version is an error", tests: []string{"httpmcp/reported_test.go#TestNegotiation", "legacy/handshake_test.go#"}},
	{id: "B79", area: "lifecycle", what: "a version that is no text is negotiated", tests: []string{"httpmcp/reported_test.go#TestNegotiation", "legacy/handshake_test.go#"}},
	{id: "B80", area: "lifecycle", what: "initialize without capabilities ends the server", tests: []string{"httpmcp/reported_test.go#TestNegotiation", "legacy/handshake_test.go#"}},
	{id: "B82", area: "lifecycle", what: "requests wait for notifications/initialized", tests: []string{"httpmcp/legacy_session_test.go#TestBeforeInitialized"}},
	{id: "B83", area: "lifecycle", what: "a request of neither era has no proper error", tests: []string{"httpmcp/reported_test.go#TestFieldsOfEras", "discover/era_test.go#"}},
	{id: "B85", area: "lifecycle", what: "batches are taken in revisions without", tests: []string{"httpmcp/legacy_session_test.go#TestBatches"}},
	{id: "B86", area: "lifecycle", what: "one era shuts the other one out", tests: []string{"httpmcp/reported_test.go#TestFieldsOfEras", "discover/era_test.go#"}},
	{id: "B88", area: "lifecycle", what: "fields of one era in the other", tests: []string{"httpmcp/reported_test.go#TestFieldsOfEras", "legacy/session_test.go#"}},
	{id: "B89", area: "lifecycle", what: "an unknown method has no proper error", tests: []string{"httpmcp/legacy_test.go#TestSession"}},
	{id: "B91", area: "cancel", what: "a cancelled call is answered", tests: []string{"testfixtures/cases/calls_test.go#TestB91Cancel", "discover/cases_test.go#TestCancel", "stdio/serve_test.go#"}},
	{id: "B92", area: "cancel", what: "the ids 0 and \"\" cannot be cancelled", tests: []string{"testfixtures/cases/calls_test.go#TestB91Cancel", "discover/cases_test.go#TestCancel"}},
	{id: "B94", area: "cancel", what: "initialize is cancelled", tests: []string{"discover/era_test.go#TestEra", "legacy/client_test.go#TestHandshakeGivenUp", "testfixtures/clients/handshake_test.go#TestB94Handshake"}},
	{id: "B95", area: "cancel", what: "a closed connection does not cancel", tests: []string{"httpmcp/modern_test.go#TestDisconnectCancels", "httpmcp/client_end_test.go#TestModernCancel", "httpmcp/legacy_calls_test.go#TestDisconnectDoesNotCancel"}},
	{id: "B97", area: "progress", what: "the token 0 counts as none", tests: []string{"testfixtures/cases/calls_test.go#TestB97Progress", "discover/cases_test.go#TestProgress"}},
	{id: "B98", area: "progress", what: "tokens and fractions change on the way", tests: []string{"testfixtures/cases/calls_test.go#TestB97Progress", "discover/cases_test.go#TestProgress"}},
	{id: "B100", area: "progress", what: "progress without a token", tests: []string{"testfixtures/cases/calls_test.go#TestB97Progress", "mcp/progress_test.go#"}},
	{id: "B101", area: "progress", what: "progress in a reply that is one JSON object", tests: []string{"httpmcp/legacy_calls_test.go#TestNoStream"}},
	{id: "B103", area: "schema", what: "a tool without arguments has no schema", tests: []string{"testfixtures/cases/schema_test.go#TestB103SchemaOfNothing", "mcp/typed_test.go#"}},
	{id: "B104", area: "schema", what: "null in a schema", tests: []string{"testfixtures/cases/schema_test.go#TestB103SchemaOfNothing", "mcp/register_test.go#"}},
	{id: "B106", area: "schema", what: "optional fields are unions with null", tests: []string{"testfixtures/cases/schema_test.go#TestB106Optional", "mcp/typed_test.go#"}},
	{id: "B107", area: "schema", what: "a time is an object", tests: []string{"testfixtures/cases/schema_test.go#TestB107Times"}},
	{id: "B109", area: "schema", what: "empty contents are left out", tests: []string{"testfixtures/cases/schema_test.go#TestB109Empty"}},
	{id: "B110", area: "schema", what: "any has an output schema", tests: []string{"testfixtures/cases/schema_test.go#TestB110Any", "mcp/typed_test.go#"}},
	{id: "B112", area: "schema", what: "a nil pointer is sent as null", tests: []string{"testfixtures/cases/schema_test.go#TestB112NilPointer", "mcp/typed_test.go#"}},
	{id: "B113", area: "schema", what: "content is null", tests: []string{"testfixtures/cases/schema_test.go#TestB113NoContent", "testfixtures/clients/calls_test.go#TestB113Results", "mcp/client_call_test.go#TestClientResults"}},
	{id: "B115", area: "schema", what: "a failed call is held against the output schema", tests: []string{"testfixtures/cases/schema_test.go#TestB113NoContent", "mcp/typed_test.go#", "testfixtures/clients/calls_test.go#TestB113Results", "mcp/client_call_test.go#TestClientOutputSchema"}},
	{id: "B116", area: "schema", what: "wrong arguments are a protocol error", tests: []string{"testfixtures/cases/schema_test.go#TestB116Arguments", "discover/typed_test.go#"}},
	{id: "B118", area: "schema", what: "arguments that are no object end the server", tests: []string{"testfixtures/cases/schema_test.go#TestB116Arguments", "discover/cases_test.go#"}},
	{id: "B119", area: "schema", what: "1.0 is no integer", tests: []string{"testfixtures/cases/schema_test.go#TestB116Arguments", "mcp/typed_test.go#"}},
	{id: "B121", area: "schema", what: "references are fetched, dialects guessed", tests: []string{"testfixtures/cases/schema_test.go#TestB121Dialects", "mcp/typed_test.go#"}},
	{id: "B122", area: "schema", what: "defaults overwrite zero values", tests: []string{"testfixtures/cases/schema_test.go#TestB122Defaults", "mcp/typed_test.go#"}},
	{id: "B130", area: "auth", what: "a strange page is asked for a token", tests: []string{"httpmcp/headers_test.go#TestEndpointIsGuarded"}},
	{id: "B133", area: "auth", what: "an altered state is taken", tests: []string{"testfixtures/everything/asks_test.go#TestState", "testfixtures/asks/retry_test.go#"}},
	{id: "B134", area: "auth", what: "a hidden tool can be called", tests: []string{"testfixtures/cases/ux_test.go#TestB134Hidden", "mcp/visible_test.go#"}},
	{id: "B136", area: "headers", what: "another method in Mcp-Method", tests: []string{"httpmcp/mirror_wire_test.go#TestMismatchRunsNothing", "httpmcp/mirror_test.go#"}},
	{id: "B137", area: "headers", what: "Mcp-Name is not looked at", tests: []string{"httpmcp/mirror_wire_test.go#TestMismatchRunsNothing", "httpmcp/mirror_test.go#"}},
	{id: "B139", area: "headers", what: "letter case and spaces of headers matter", tests: []string{"httpmcp/mirror_wire_test.go#TestMismatchRunsNothing", "httpmcp/mirror_test.go#"}},
	{id: "B140", area: "headers", what: "a modern body without the header is taken for a legacy one", tests: []string{"httpmcp/mirror_wire_test.go#TestMismatchRunsNothing", "httpmcp/mirror_test.go#"}},
	{id: "B142", area: "headers", what: "header and body name two versions", tests: []string{"httpmcp/mirror_wire_test.go#TestMismatchRunsNothing", "httpmcp/mirror_test.go#"}},
	{id: "B143", area: "headers", what: "the version in the header is not looked at", tests: []string{"httpmcp/legacy_session_test.go#TestVersionHeader"}},
	{id: "B145", area: "headers", what: "mirrored arguments are not compared", tests: []string{"httpmcp/mirror_wire_test.go#TestMismatchRunsNothing", "httpmcp/client_headers_test.go#TestMirrors", "httpmcp/mirror_test.go#"}},
	{id: "B146", area: "headers", what: "bad Base64, and marks that clients refuse", tests: []string{"httpmcp/mirror_wire_test.go#TestMismatchRunsNothing", "httpmcp/mirror_test.go#", "mcp/header_test.go#TestHeaderMarks", "mcp/client_list_test.go#TestClientInvalidMarks", "httpmcp/client_connect_test.go#TestInvalidToolHeaders"}},
	{id: "B148", area: "headers", what: "a name that was turned to the loopback is served", tests: []string{"httpmcp/headers_test.go#TestEndpointIsGuarded", "httpmcp/deprecated_test.go#TestDeprecatedRefusals"}},
	{id: "B149", area: "headers", what: "a proxy on the same machine is refused for good", tests: []string{"httpmcp/reported_test.go#TestHostOfProxy"}},
	{id: "B151", area: "subscribe", what: "an open stream holds up requests", tests: []string{"testfixtures/cases/changes_test.go#TestB151ListenHoldsUpNothing", "discover/listen_test.go#"}},
	{id: "B152", area: "subscribe", what: "the id of a stream changes its type", tests: []string{"testfixtures/cases/changes_test.go#TestB152IDs", "discover/listen_test.go#"}},
	{id: "B154", area: "subscribe", what: "what was not asked for is told", tests: []string{"testfixtures/cases/changes_test.go#TestB154OnlyWhatWasAsked", "testfixtures/cases/changes_test.go#TestB154Static", "legacy/changes_test.go#"}},
	{id: "B155", area: "subscribe", what: "a stream just breaks off", tests: []string{"testfixtures/cases/changes_test.go#TestB155End", "discover/listen_test.go#"}},
	{id: "B157", area: "subscribe", what: "a slow subscriber holds up the others", tests: []string{"testfixtures/cases/changes_test.go#TestB157Stuck", "discover/load_test.go#"}},
	{id: "B158", area: "subscribe", what: "a burst is lost", tests: []string{"testfixtures/cases/changes_test.go#TestB158Burst", "discover/listen_test.go#"}},
	{id: "B160", area: "shutdown", what: "requests before the end of the input are dropped", tests: []string{"stdio/serve_test.go#", "jsonrpc/drain_test.go#", "discover/mixed_test.go#"}},
	{id: "B161", area: "shutdown", what: "the end of the input is an error", tests: []string{"stdio/end_test.go#", "stdio/child_test.go#", "testfixtures/cases/changes_test.go#TestB155End"}},
	{id: "B163", area: "shutdown", what: "open streams hold up the shutdown", tests: []string{"httpmcp/legacy_get_test.go#TestShutdownOfSessions"}},
	{id: "B164", area: "shutdown", what: "handlers outlive their session", tests: []string{"stdio/end_test.go#", "jsonrpc/drain_test.go#", "httpmcp/legacy_calls_test.go#TestDeleteFrees"}},
	{id: "B166", area: "concurrency", what: "a panic ends the process", tests: []string{"testfixtures/cases/calls_test.go#TestB166Panic", "stdio/serve_test.go#", "jsonrpc/invoke_test.go#"}},
	{id: "B167", area: "concurrency", what: "a nil result is dereferenced", tests: []string{"testfixtures/cases/calls_test.go#TestB166Panic", "jsonrpc/invoke_test.go#"}},
	{id: "B169", area: "concurrency", what: "lines are mixed", tests: []string{"testfixtures/cases/calls_test.go#TestB169Whole", "stdio/serve_test.go#", "jsonrpc/outbox_test.go#"}},
	{id: "B170", area: "concurrency", what: "the level of one request is that of another", tests: []string{"testfixtures/cases/calls_test.go#TestB170LevelsOfRequests", "discover/logging_test.go#"}},
	{id: "B172", area: "concurrency", what: "a handler that asks is never answered", tests: []string{"testfixtures/cases/calls_test.go#TestB172AskInFlood", "jsonrpc/duplex_test.go#"}},
	{id: "B173", area: "concurrency", what: "a result that cannot be written is silence", tests: []string{"testfixtures/cases/schema_test.go#TestB173Unwritable", "mcp/exact_test.go#"}},
	{id: "B175", area: "memory", what: "sessions are never swept", tests: []string{"httpmcp/legacy_session_test.go#TestSweep"}},
	{id: "B176", area: "memory", what: "failed requests leave sessions behind", tests: []string{"httpmcp/legacy_session_test.go#TestOnlyInitializeOpens"}},
	{id: "B178", area: "memory", what: "templates backtrack", tests: []string{"testfixtures/cases/calls_test.go#TestB178LongURI", "mcp/uritemplate/matcher_test.go#"}},
	{id: "B179", area: "memory", what: "schemas cost without bound", tests: []string{"testfixtures/cases/calls_test.go#TestB179Branches", "mcp/jsonschema/bounds_test.go#"}},
	{id: "B181", area: "client", what: "a child that has ended is waited for", tests: []string{"stdio/command_test.go#TestCommandEnds", "testfixtures/fixture/fault/client_test.go#TestClientTellsWhyTheProcessEnded"}},
	{id: "B182", area: "client", what: "a session that the server has forgotten is asked for again and again", tests: []string{"legacy/client_renew_test.go#TestRenewal", "httpmcp/client_renew_test.go#TestSessionRenewed"}},
	{id: "B184", area: "client", what: "the end of a session waits for the server", tests: []string{"httpmcp/client_session_test.go#TestSessionDelete", "httpmcp/client_session_test.go#TestLinksLeaveNothing"}},
	{id: "B185", area: "client", what: "an answer that nobody waits for ends the connection", tests: []string{"jsonrpc/client_test.go#TestAskAmongOtherMessages", "httpmcp/client_modern_test.go#TestModernAnswers", "testfixtures/fixture/fault/client_test.go#TestClientOnStream"}},
	{id: "B187", area: "client", what: "an entry that is null ends the client", tests: []string{"mcp/client_list_test.go#TestClientEntries"}},
	{id: "B188", area: "client", what: "one code alone shows an old server", tests: []string{"discover/connect_test.go#TestProbe", "testfixtures/probed/client_test.go#TestClientFindsStreams", "testfixtures/probed/client_sites_test.go#TestClientFindsSites", "httpmcp/client_era_test.go#TestEraOverHTTP"}},
	{id: "B190", area: "client", what: "who cancels waits for a server that does not read", tests: []string{"jsonrpc/client_test.go#TestAskGivenUp", "stdio/command_test.go#TestCommandDoesNotRead", "httpmcp/client_end_test.go#TestModernDeaf", "testfixtures/fixture/fault/client_test.go#TestClientOnStream"}},
	{id: "B191", area: "client", what: "an empty cursor ends a list, and one that comes again does not", tests: []string{"mcp/client_list_test.go#TestClientPages"}},
	{id: "B193", area: "client", what: "a retry has another state, or a decline that is wrapped", tests: []string{"discover/modern_client_rounds_test.go#TestModernRounds", "discover/modern_client_asks_test.go#TestDeclined", "mcp/client_ask_test.go#TestAnswerElicitation"}},
	{id: "B194", area: "client", what: "the endpoint of 2024-11-05 may be anywhere", tests: []string{"httpmcp/client_deprecated_test.go#TestOldEndpoint"}},
	{id: "B196", area: "ux", what: "an unknown name is no such error", tests: []string{"testfixtures/cases/ux_test.go#TestB196UnknownNames", "discover/cases_test.go#"}},
	{id: "B197", area: "ux", what: "an unknown uri is empty contents", tests: []string{"testfixtures/cases/ux_test.go#TestB197UnknownURIs", "discover/cases_test.go#", "mcp/client_use_test.go#TestClientNotFound", "testfixtures/clients/lists_test.go#TestB197NotFound"}},
	{id: "B199", area: "ux", what: "a malformed uri is an internal error", tests: []string{"testfixtures/cases/ux_test.go#TestB197UnknownURIs", "discover/cases_test.go#"}},
	{id: "B200", area: "ux", what: "a bad cursor is the first page again", tests: []string{"testfixtures/cases/ux_test.go#TestB200Cursors", "mcp/pages_test.go#"}},
	{id: "B202", area: "ux", what: "levels leak between sessions", tests: []string{"testfixtures/cases/ux_test.go#TestB202Levels", "legacy/logging_test.go#", "discover/logging_test.go#", "httpmcp/legacy_calls_test.go#TestLevelOfSession"}},
	{id: "B203", area: "ux", what: "declining is validated, or taken for a failure", tests: []string{"testfixtures/everything/asks_test.go#TestAsk", "testfixtures/asks/legacy_test.go#"}},
	{id: "B205", area: "ux", what: "the code 0, and words of Go", tests: []string{"testfixtures/cases/ux_test.go#TestB205Errors", "discover/drive_test.go#"}},
	{id: "B206", area: "ux", what: "unknown notifications are answered", tests: []string{"testfixtures/cases/ux_test.go#TestB206Notifications", "jsonrpc/wire_test.go#", "jsonrpc/client_test.go#TestAskAmongOtherMessages", "mcp/client_hear_test.go#TestClientHears"}},
}

// TestRows holds the table against the tree: each place is there and names the row.
func TestRows(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows {
		if seen[r.id] || (len(r.tests) == 0) != (r.why != "") {
			t.Errorf("%s stands twice, or has neither tests nor a reason, or both", r.id)
		}
		seen[r.id] = true
		for _, place := range r.tests {
			file, name, _ := strings.Cut(place, "#")
			text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(file)))
			switch {
			case err != nil:
				t.Errorf("%s: %v", r.id, err)
			case !regexp.MustCompile(`\b` + r.id + `(\b|[A-Z])`).Match(text):
				t.Errorf("%s: %s does not mention it", r.id, file)
			case name != "" && !strings.Contains(string(text), "func "+name+"("):
				t.Errorf("%s: %s has no %s", r.id, file, name)
			}
		}
	}
	for id := range mentioned(t) {
		if !seen[id] {
			t.Errorf("a test of this package mentions %s, which is no row", id)
		}
	}
	if !slices.IsSortedFunc(rows, func(a, b row) int { return cmp.Or(len(a.id)-len(b.id), strings.Compare(a.id, b.id)) }) {
		t.Error("the rows are not in the order of their numbers")
	}
}

// mentioned are the ids in the tests of this package.
func mentioned(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range regexp.MustCompile(`\bB\d{2,3}`).FindAllString(string(text), -1) {
			all[id] = true
		}
	}
	return all
}
