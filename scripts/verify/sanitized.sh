#!/usr/bin/env bash
# Builds the native core with the address and undefined behaviour sanitizers and passes tests on it: `make
# test-sanitized`, or this script with arguments for pytest. docs/howto/find-memory-errors.md says more. All it makes
# lies in build/sanitized; the core that is installed stays as it is.
set -euo pipefail
cd "$(dirname "$0")/../.."
place=$PWD/build/sanitized
python=$PWD/.venv/bin/python
tests=(tests/native tests/agent/env/test_batch.py tests/agent/env/test_batch_layouts.py tests/agent/env/test_environment_faults.py
    tests/api/test_bad_input.py tests/api/test_search.py tests/api/test_player_process.py)

"$python" -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation --upgrade \
    --target "$place/site" --config-settings build-dir="$place/core" --config-settings install.strip=false \
    --config-settings cmake.define.LUDENS_SANITIZE=ON .

# The sanitizers come before everything else in a process, and the library whose exceptions they watch with them.
runtime=$(g++ -print-file-name=libasan.so)
standard=$(g++ -print-file-name=libstdc++.so)
reports=$place/reports
rm -rf "$reports"
mkdir -p "$reports"

# With the sanitizer no process has a limit of address space, so that nothing stops a player that eats memory; and
# functions need several times as much of the stack, so that rules may recurse less deeply.
players=tests/api/test_player_process.py
left_out=(--deselect "$players::test_a_player_that_eats_memory_gets_no_more_than_it_may_have"
    --deselect "$players::test_what_a_player_does_wrong_is_told_and_a_legal_move_is_drawn[Hungry"
    --deselect tests/native/test_rule_machine.py::test_recursion_may_be_a_thousand_calls_deep)

status=0
# Python's own objects are allocated one by one, so that what they keep is not taken for lost. Leaks do not change the
# status of a process: Python and its packages have many.
PYTHONPATH=$place/site LD_PRELOAD="$runtime $standard" PYTHONMALLOC=malloc LSAN_OPTIONS=exitcode=0 \
    ASAN_OPTIONS=detect_leaks=${LUDENS_LEAKS:-0}:log_path="$reports/asan" \
    UBSAN_OPTIONS=print_stacktrace=1:log_path="$reports/ubsan" \
    "$python" -m pytest -p no:cacheprovider "${left_out[@]}" "${@:-"${tests[@]}"}" || status=$?

# Of processes that tests start, only the reports tell. A leak is the core's if the core has allocated it.
if grep -rlE "ERROR: AddressSanitizer|runtime error:" "$reports"; then
    echo "The sanitizers have found errors: see these files."
    status=1
fi
if grep -rl "/native/src/" "$reports"; then
    echo "The native core is in these reports."
    status=1
fi
exit "$status"
