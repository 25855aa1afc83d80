import { expect, it } from 'vitest';
import { computeSeverity, findSensitiveService } from './sensitive-ports';

it.each([
  [21, null],
  [22, 'ssh'],
  [23, null],
  [139, 'smb'],
  [140, null],
  [445, 'smb'],
  [3306, 'mysql'],
  [3389, 'rdp'],
  [5432, 'postgresql'],
  [5899, null],
  [5900, 'vnc'],
  [5999, 'vnc'],
  [6000, null],
  [6379, 'redis'],
  [6380, null],
])('knows what listens at port %i', (port, service) => {
  expect(findSensitiveService(port)).toBe(service);
});

it.each([
  [445, 'observed', 'critical'],
  [139, 'accept', 'critical'],
  [3389, 'default_accept', 'critical'],
  [6379, 'audit_accept', 'critical'],
  [22, 'observed', 'high'],
  [5901, 'accept', 'high'],
  [3306, 'audit_drop', 'medium'],
  [22, 'audit_reject', 'medium'],
  [5432, 'drop', 'low'],
  [5432, 'default_drop', 'low'],
  [22, 'reject', 'low'],
])('rates port %i with %s as %s', (port, decision, severity) => {
  expect(computeSeverity(port, decision)).toBe(severity);
});
