import type { ENFORCEMENT_MODES } from '@/domain/policy/choices';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Badge } from '@/ui/badge';
import type { Tone } from '@/ui/status';

type Mode = (typeof ENFORCEMENT_MODES)[number];

export const MODE_LABELS: Record<Mode, { label: string; tone: Tone; description: string }> = {
  audit: {
    label: msg('Audit'),
    tone: 'info',
    description: msg('No rules are written to any workload. Flows show what the policy would do.'),
  },
  enforced: {
    label: msg('Enforced'),
    tone: 'neutral',
    description: msg('Rules are written to the workloads when the policy is applied.'),
  },
};

/** Whether a policy only watches or decides; a disabled one does neither. */
export function PolicyMode({ mode, enabled }: { mode: Mode; enabled: boolean }) {
  const t = useT();
  if (!enabled) return <Badge tone="off">{t('Disabled')}</Badge>;
  const { tone, label } = MODE_LABELS[mode];
  return <Badge tone={tone}>{t(label)}</Badge>;
}
