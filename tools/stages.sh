# Sourced by ./run and ./test: runs a command as one stage, with one line on the terminal and the rest in a log.
#   stage NAME SECONDS COMMAND...    SECONDS: how long it takes on two idle cores, as measured; 0: no estimate
logs=build/log
mkdir -p "$logs"

cores() { nproc 2>/dev/null || echo 2; }

stage() {
  name=$1
  estimate=$2
  shift 2
  log=$logs/$(echo "$name" | tr ' /' '--').txt
  hint=""
  [ "$estimate" -eq 0 ] || hint=" (about $estimate s)"
  printf '%-22s%-14s ' "$name" "$hint"
  begin=$(date +%s)
  if "$@" >"$log" 2>&1; then
    echo "done in $(($(date +%s) - begin)) s"
  else
    status=$?
    echo "FAILED after $(($(date +%s) - begin)) s; the end of $log:"
    tail -n 40 "$log"
    return $status
  fi
}

# CPU seconds as seconds on this machine.
on_cores() { echo $(($1 / $(cores) + 1)); }
