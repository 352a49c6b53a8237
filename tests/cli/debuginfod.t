#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Files of programs from a server of debuginfod, which is only asked with --debuginfod.
. tests/cli/lib.sh

if ! have gcc || ! have objcopy || ! have python3 || ! python3 -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2>/dev/null; then
	echo '1..0 # SKIP no gcc, objcopy, python3 or libdebuginfod'
	exit 0
fi

# the program whose first function is at the place of the samples, its debug information, and another one
id=0123456789abcdef0123456789abcdef01234567
served=$tmp/served/buildid/$id
mkdir -p "$served"
printf '.globl _start\n.type _start, %%function\n_start: .skip 64\n.size _start, 64\n' >"$tmp/code.s"
printf 'SECTIONS { . = 0x1000; .text : { *(.text) } .note : { *(.note*) } }\n' >"$tmp/place.ld"
checked gcc -nostdlib -static -Wl,--build-id=0x$id -Wl,-z,max-page-size=4096 -Wl,-T,"$tmp/place.ld" -o "$tmp/program" "$tmp/code.s"
checked gcc -nostdlib -static -Wl,--build-id=0x11$id -Wl,-z,max-page-size=4096 -Wl,-T,"$tmp/place.ld" -o "$tmp/other" "$tmp/code.s"
objcopy --only-keep-debug "$tmp/program" "$served/debuginfo"
objcopy --strip-all "$tmp/program" "$served/executable"
python3 tests/cli/import_profile.py "$tmp/perf.data" cpu-clock id=$id

cat >"$tmp/server.py" <<'END'
import http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args):
        super().__init__(*args, directory=sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
END
python3 "$tmp/server.py" "$tmp/served" >"$tmp/port" 2>"$tmp/log" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$tmp" "$tmp".*' EXIT
for _ in $(seq 100); do
	[ -s "$tmp/port" ] && break
	sleep 0.1
done
DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$tmp/port")
DEBUGINFOD_CACHE_PATH=$tmp/cache
export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
unset http_proxy all_proxy

functions()
{
	hist report -i "$tmp/perf.data" -e perf:cpu-clock --by ip.dso,ip.sym --format csv "$@"
	status_is 0
}

it 'asks no server without --debuginfod'
functions
stdout_has '^program,\[unknown\],6$'
checked [ ! -s "$tmp/log" ] || fail_file 'the server was asked:' "$tmp/log"

it 'asks the server for the program and its debug information, and keeps them'
functions --debuginfod
stdout_has '^program,_start,6$'
stderr_lacks '/nowhere/program'
checked grep -q "GET /buildid/$id/debuginfo .* 200" "$tmp/log" || fail_file 'no request:' "$tmp/log"
: >"$tmp/log"
hist events -q -i "$tmp/perf.data" -e perf:cpu-clock -f 'ip.dso == program' --fields ip.sym --debuginfod -n 1
stdout_has '^_start$'
checked [ ! -s "$tmp/log" ] || fail_file 'the server was asked again:' "$tmp/log"

it 'uses no file with another build id'
cp "$tmp/other" "$served/executable"
cp "$tmp/other" "$served/debuginfo"
rm -rf "$tmp/cache"
functions --debuginfod
stdout_has '^program,\[unknown\],6$'
stderr_has '/nowhere/program is not the recorded version'

it 'reports that no server is named, and a server that does not answer'
rm -rf "$tmp/cache"
kill $server
wait $server 2>/dev/null
functions --debuginfod
stdout_has '^program,\[unknown\],6$'
stderr_has '/nowhere/program and 1 more files do not exist here|/nowhere/program.* do not exist here|/nowhere/program does not exist here'
unset DEBUGINFOD_URLS
functions --debuginfod
stderr_has 'DEBUGINFOD_URLS names no server for --debuginfod'
done_testing
