import { expect, test } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { securityRuleText } from './security-rule-labels';

const rule = {
  action: 'accept' as const,
  protocol: 'tcp' as const,
  destination_ports: ['443', '8000-8080'],
  source_ports: [],
  icmp_type: null,
  log: 'nolog' as const,
  enabled: true,
  comment: '',
};

test.each([
  [rule, 'Accept TCP to port 443, 8000-8080'],
  [
    { ...rule, source_ports: ['1024-65535'], log: 'info' as const, comment: 'web' },
    'Accept TCP from port 1024-65535 to port 443, 8000-8080, log info (web)',
  ],
  [
    { ...rule, protocol: 'icmp' as const, destination_ports: [], icmp_type: 'echo-request', enabled: false },
    'Accept ICMP type echo-request, disabled',
  ],
  [{ ...rule, action: 'drop' as const, protocol: 'any' as const, destination_ports: [] }, 'Drop any protocol'],
])('%o', (given, text) => expect(securityRuleText(english, given)).toBe(text));
