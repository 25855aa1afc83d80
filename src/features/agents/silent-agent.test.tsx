import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { firewallFacts } from './agent-properties';
import { Collectors } from './collectors';

type Diagnostics = Parameters<typeof Collectors>[0]['diagnostics'];
const diagnostics = { collectors: [{ name: 'conntrack', state: 'active', detail: null }] } as unknown as Diagnostics;
const firewall = { implementation: 'iptables', cluster_enabled: true, service_running: true, rules_loaded: true };
type Firewall = Parameters<typeof firewallFacts>[1];

const collectors = (stale: boolean) => renderToStaticMarkup(<Collectors diagnostics={diagnostics} stale={stale} />);
const facts = (stale: boolean) =>
  firewallFacts(english, { guest_chains: 3, ...firewall } as Firewall, null, stale)
    .map(({ value }) => renderToStaticMarkup(value))
    .join('\n');

describe('the last report of a silent agent', () => {
  it('names what a collector did, and does not say that it works', () => {
    expect(collectors(false)).toContain('data-tone="ok"');
    expect(collectors(true)).not.toContain('data-tone="ok"');
    expect(collectors(true)).toContain('Unknown, last: Working');
  });

  it('names what the firewall was, and does not say that it is on', () => {
    expect(facts(false)).toContain('data-tone="ok"');
    expect(facts(true)).not.toContain('data-tone="ok"');
    for (const state of ['On', 'Running', 'Loaded']) expect(facts(true)).toContain(`Unknown, last: ${state}`);
  });
});
