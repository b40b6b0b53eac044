# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# bash looks for a file of the command's name.
COMPLETED = tcflow tcflow-calibrate tcflow-diff tcflow-new-filter tcflow-report tcflow-scaling tcflow-synth tcflow-torture
if BASH_COMPLETION
install-completions:
	$(MKDIR_P) '$(DESTDIR)$(completionsdir)'
	for name in $(COMPLETED); do \
	    $(INSTALL_DATA) '$(srcdir)/completions/tcflow.bash' '$(DESTDIR)$(completionsdir)'/$$name || exit 1; done
uninstall-completions:
	-cd '$(DESTDIR)$(completionsdir)' && rm -f $(COMPLETED)
else
install-completions uninstall-completions:
endif
.PHONY: install-completions uninstall-completions

EXTRA_DIST += \
	completions/tcflow.bash
