import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { PROTECTIONS } from '@/domain/firewall/protection';
import { InterfaceEnforcementList } from './interface-enforcement';

it('shows an interface as good only when it denies by default, although its firewall is on', () => {
  for (const protection of PROTECTIONS) {
    const interfaces = [{ name: 'net0', status: 'on' as const, reasons: [], protection }];
    const page = renderToStaticMarkup(<InterfaceEnforcementList interfaces={interfaces} />);
    expect(page.includes('data-tone="ok"'), protection).toBe(protection === 'default_deny');
    expect(page).not.toContain('Filtered');
  }
});
