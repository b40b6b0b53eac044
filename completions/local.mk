# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# bash and fish look for a file of the command's name, zsh for the one that names all of them.
COMPLETED = tcflow tcflow-calibrate tcflow-diff tcflow-mpi tcflow-new-filter tcflow-report tcflow-scaling tcflow-synth tcflow-top tcflow-torture
zshdir = $(datadir)/zsh/site-functions
fishdir = $(datadir)/fish/vendor_completions.d
dist_zsh_DATA = completions/_tcflow
if BASH_COMPLETION
install-completions:
	$(MKDIR_P) '$(DESTDIR)$(completionsdir)' '$(DESTDIR)$(fishdir)'
	for name in $(COMPLETED); do \
	    $(INSTALL_DATA) '$(srcdir)/completions/tcflow.bash' '$(DESTDIR)$(completionsdir)'/$$name && \
	    $(INSTALL_DATA) '$(srcdir)/completions/tcflow.fish' '$(DESTDIR)$(fishdir)'/$$name.fish || exit 1; done
uninstall-completions:
	-cd '$(DESTDIR)$(completionsdir)' && rm -f $(COMPLETED)
	-cd '$(DESTDIR)$(fishdir)' && rm -f $(COMPLETED:=.fish)
else
install-completions uninstall-completions:
endif
.PHONY: install-completions uninstall-completions

EXTRA_DIST += \
	completions/tcflow.bash \
	completions/tcflow.fish
