#!/bin/sh
# Stands in for Node and the suite: SCRIPT list --requirements REVISION, SCRIPT server ...
# -o FOLDER, or SCRIPT client --command COMMAND --scenario NAME --spec-version REVISION -o FOLDER.
# The folder "said" beside it holds what a run finds: a file for each scenario, and in "status"
# the status of a run of those that are required of servers. The command of a client is run.
said=$(dirname "$0")/said
if [ "$2" = list ]; then
	printf 'Required for %s:\n\nServer scenarios (test against a server):\n  - ping\n  - tools-list\n\n' "$4"
	printf 'Client scenarios (test against a client):\n  - initialize\n  - auth/scope\n\n'
	printf 'Run and reported, but never scored:\n  extension (2):\n    - tasks [server]\n    - auth/dpop [client]\n  pending (1):\n    - polling [server]\n'
	printf '  added-after-release (1):\n    - schema [client]\n\n'
	exit 0
fi
for last; do :; done
status=0 label=
case "$2 $5" in
'server --requirements') label=server- names='ping tools-list tasks polling' status=$(cat "$said/status") ;;
'server --scenario') label=server- names=$6 ;;
client*)
	names=$6
	MCP_CONFORMANCE_SCENARIO=$6 MCP_CONFORMANCE_PROTOCOL_VERSION=$8 MCP_CONFORMANCE_CONTEXT='{"a":"b  c"}' sh -c "$4 http://localhost:1/mcp" || status=1
	;;
esac
for name in $names; do
	test -f "$said/$name" || continue
	folder=$last/$label$name-2026-07-28T12-00-00-000Z
	mkdir -p "$folder"
	cp "$said/$name" "$folder/checks.json"
done
exit "$status"
