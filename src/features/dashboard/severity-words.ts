import type { SensitiveService, Severity } from '@/domain/dashboard/sensitive-ports';
import { msg } from '@/lib/i18n/translator';
import type { Tone } from '@/ui/tone';

export const SEVERITY_WORDS: Record<Severity, { tone: Tone; word: string; meaning: string }> = {
  critical: {
    tone: 'danger',
    word: msg('Critical'),
    meaning: msg('Reached file shares, remote desktops or data stores'),
  },
  high: { tone: 'warn', word: msg('High'), meaning: msg('Reached SSH or VNC') },
  medium: { tone: 'info', word: msg('Medium'), meaning: msg('Would be denied by a policy in audit mode') },
  low: { tone: 'neutral', word: msg('Low'), meaning: msg('Denied') },
};

/** How many there are of each. */
export const SEVERITY_COUNTS: Record<Severity, string> = {
  critical: msg('{n, number} critical'),
  high: msg('{n, number} high'),
  medium: msg('{n, number} medium'),
  low: msg('{n, number} low'),
};

export const SERVICE_WORDS: Record<SensitiveService, string> = {
  ssh: 'SSH',
  smb: 'SMB',
  rdp: 'RDP',
  vnc: 'VNC',
  mysql: 'MySQL',
  postgresql: 'PostgreSQL',
  redis: msg('Redis'),
};
