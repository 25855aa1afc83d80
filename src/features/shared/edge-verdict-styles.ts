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
  /** Lines also differ by their dashes: some users cannot distinguish the colors. */
  dash: readonly number[];
  /** One character in the matrix, for the same reason. */
  glyph: string;
};

/** How verdicts of connections are called and drawn. */
export const EDGE_VERDICT_STYLES: Record<EdgeVerdict, Look> = {
  dropped: {
    word: msg('Dropped'),
    meaning: msg("Dropped or rejected by a rule, a workload's default policy or according to the firewall log."),
    tone: 'danger',
    color: '--color-danger-mark',
    dash: [7, 4],
    glyph: '✕',
  },
  would_drop: {
    word: msg('Would be dropped'),
    meaning: msg('Allowed now. A policy in audit mode would drop or reject this traffic.'),
    tone: 'warn',
    color: '--color-warn-mark',
    dash: [2, 3],
    glyph: '!',
  },
  accepted: {
    word: msg('Allowed by rule'),
    meaning: msg('Allowed by a rule or according to the firewall log.'),
    tone: 'ok',
    color: '--color-ok-mark',
    dash: [],
    glyph: '✓',
  },
  default: {
    word: msg('Allowed by default policy'),
    meaning: msg("Matches no rule; allowed by a workload's default policy."),
    tone: 'info',
    color: '--color-info-mark',
    dash: [],
    glyph: '○',
  },
  observed: {
    word: msg('Not filtered or unknown'),
    meaning: msg('Observed, but not filtered, or the filtering rule could not be read or determined.'),
    tone: 'neutral',
    color: '--color-off-mark',
    dash: [],
    glyph: '?',
  },
};
