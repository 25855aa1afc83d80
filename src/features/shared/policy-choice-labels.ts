import type { DEFAULT_ACTIONS, POLICY_DIRECTIONS } from '@/domain/policy/policy';
import { msg } from '@/lib/i18n/translator';

export const DIRECTION_LABELS: Record<(typeof POLICY_DIRECTIONS)[number], { label: string; description: string }> = {
  in: { label: msg('Inbound'), description: msg('Rules are placed on the targets and filter their inbound traffic.') },
  out: {
    label: msg('Outbound'),
    description: msg('Rules are placed on the sources and filter their outbound traffic.'),
  },
  both: { label: msg('Both'), description: msg('Rules are placed on sources and targets; traffic must pass both.') },
};

export const DEFAULT_LABELS: Record<(typeof DEFAULT_ACTIONS)[number], { label: string; description: string }> = {
  none: {
    label: msg("Keep the workload's default policy"),
    description: msg('Packets that match no rule are handled as before.'),
  },
  drop: {
    label: msg('Drop unmatched packets'),
    description: msg(
      "Sets each workload's default policy to DROP. Connections that no rule of any policy accepts will break.",
    ),
  },
};
