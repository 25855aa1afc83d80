import type { SensitiveService, Severity } from '@/domain/dashboard/sensitive-ports';
import type { Tone } from '@/ui/tone';

export const SEVERITY_WORDS: Record<Severity, { tone: Tone; word: string; meaning: string }> = {
  critical: { tone: 'danger', word: 'Critical', meaning: 'Reached file shares, remote desktops or data stores' },
  high: { tone: 'warn', word: 'High', meaning: 'Reached SSH or VNC' },
  medium: { tone: 'info', word: 'Medium', meaning: 'Would be denied by a policy in audit mode' },
  low: { tone: 'neutral', word: 'Low', meaning: 'Denied' },
};

export const SERVICE_WORDS: Record<SensitiveService, string> = {
  ssh: 'SSH',
  smb: 'SMB',
  rdp: 'RDP',
  vnc: 'VNC',
  mysql: 'MySQL',
  postgresql: 'PostgreSQL',
  redis: 'Redis',
};
