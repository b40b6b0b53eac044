# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Pages in a headless Chromium, behind tests/support/lib.sh.

pages=$top_srcdir/tests/tools/report
export PYTHONDONTWRITEBYTECODE=1

# Is there a Chromium?
in_browser()
{
    have python3 && (cd "$pages" && python3 -c "import browser; exit(not browser.find())")
}

# in_page NAME SCRIPT ARGUMENTS...: the tests of a script of this folder as tests of this one.
in_page()
{
    in_page_name=$1
    in_page_script=$2
    shift 2
    timeout 900 python3 "$pages/$in_page_script" "$@" >"$work/.in_page" 2>&1
    in_page_status=$?
    while IFS= read -r line; do
        case $line in
            ok*) tap 0 "$in_page_name: ${line#* - }" ;;
            "not ok"*) tap 1 "$in_page_name: ${line#* - }" ;;
            1..*) ;;
            *) diag "$line" ;;
        esac
    done <"$work/.in_page"
    is "$in_page_name: the tests of the page ran to their end" \
        "$in_page_status $(tail -n 1 "$work/.in_page" | grep -c '^1\.\.[1-9]')" "0 1"
}
