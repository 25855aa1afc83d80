import type { EdgeVerdict } from '@/domain/topology/edge-verdict';
import { msg } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/status';

type Look = {
  word: string;
  /** What the verdict says, in a sentence. */
  meaning: string;
  tone: Tone;
  /** Token of theme.css. */
  color: string;
  /** Lines differ by their dashes too: colour alone tells not everybody apart. */
  dash: readonly number[];
};

/** How verdicts of connections are called and drawn. */
export const VERDICT_LOOKS: Record<EdgeVerdict, Look> = {
  dropped: {
    word: msg('Dropped'),
    meaning: msg('A line of the firewall log, a rule or the default of a guest drops or rejects it.'),
    tone: 'danger',
    color: '--color-danger-mark',
    dash: [7, 4],
  },
  would_drop: {
    word: msg('Would be dropped'),
    meaning: msg('It passes now. A policy in audit mode would drop or reject it.'),
    tone: 'warn',
    color: '--color-warn-mark',
    dash: [2, 3],
  },
  accepted: {
    word: msg('Allowed by rule'),
    meaning: msg('A rule, or a line of the firewall log, accepts it.'),
    tone: 'ok',
    color: '--color-ok-mark',
    dash: [],
  },
  default: {
    word: msg('Allowed by default policy'),
    meaning: msg('No rule is about it; the default of a guest lets it pass.'),
    tone: 'info',
    color: '--color-info-mark',
    dash: [],
  },
  observed: {
    word: msg('Not filtered or unknown'),
    meaning: msg('It was seen. Nothing filters it, or what does could not be read or depends on more than is known.'),
    tone: 'neutral',
    color: '--color-off-mark',
    dash: [],
  },
};
