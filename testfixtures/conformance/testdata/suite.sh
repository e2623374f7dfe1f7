#!/bin/sh
# Stands in for Node and the suite: SCRIPT list --server --requirements REVISION, or
# SCRIPT server ... -o FOLDER. The folder "said" beside it holds what a run finds: a file
# for each scenario, and in "status" the status of a run of the required ones.
said=$(dirname "$0")/said
if [ "$2" = list ]; then
	printf 'Required for %s:\n\nServer scenarios (test against a server):\n  - ping\n  - tools-list\n\nClient scenarios (test against a client):\n  - initialize\n\n' "$5"
	printf 'Run and reported, but never scored:\n  extension (1):\n    - tasks [server]\n  pending (1):\n    - polling [server]\n\n'
	exit 0
fi
for last; do :; done
status=0
case "$5" in
--requirements) names='ping tools-list tasks polling' status=$(cat "$said/status") ;;
*) names=$6 ;;
esac
for name in $names; do
	test -f "$said/$name" || continue
	folder=$last/server-$name-2026-07-28T12-00-00-000Z
	mkdir -p "$folder"
	cp "$said/$name" "$folder/checks.json"
done
exit "$status"
