import { describe, expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { listTextFields, replaceValues } from './text-fields';

describe('replaceValues', () => {
  it.each([
    ['', 'client', ['10.0.0.5'], 'client = 10.0.0.5'],
    ['bytes > 1GB', 'client', ['10.0.0.5'], 'bytes > 1GB and client = 10.0.0.5'],
    ['client = a and bytes > 1GB', 'client', ['b'], 'client = b and bytes > 1GB'],
    ['client = a', 'client', [], ''],
    ['client = a or client = b', 'action', ['dropped'], '(client = a or client = b) and action = dropped'],
    ['clinet = a', 'action', ['dropped'], 'clinet = a'],
  ] as const)('changes %j by %s to %j', (text, field, values, changed) =>
    expect(replaceValues(text, field, values)).toBe(changed),
  );
});

describe('listTextFields', () => {
  it('shows what the text selects as chips, and writes what they set into the text', () => {
    const written: string[] = [];
    const fields = listTextFields(english, 'action in (dropped, rejected) and bytes > 1', (text) => written.push(text));
    const of = (id: string) => fields.find((field) => field.id === id);
    expect(of('action')?.value).toEqual(['dropped', 'rejected']);
    of('action')?.onValueChange(['dropped']);
    of('service')?.onValueChange(['domain']);
    expect(of('service')?.typed?.check?.('tcp/99999')).toMatch(/^Enter a value such as/);
    expect(of('service')?.typed?.check?.('ssh')).toBeNull();
    expect(written).toEqual([
      'action = dropped and bytes > 1',
      'action in (dropped, rejected) and bytes > 1 and service in (tcp/53, udp/53)',
    ]);
    expect(listTextFields(english, 'action = ', () => {})).toEqual([]);
  });
});
