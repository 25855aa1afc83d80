import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DiscoverButton } from './discover-button';

let known: { value: string; label: string }[] | null;
vi.mock('../use-cluster-options', () => ({ useKnownClusters: () => known, useClusterOptions: () => known ?? [] }));
vi.mock('../use-permissions', () => ({ usePermissions: () => ({ reason: () => null, can: () => true }) }));
vi.mock('./use-discover', () => ({ useDiscover: () => ({ mutate: () => {}, isPending: false }) }));
vi.mock('./discovery-drawer', () => ({ DiscoveryDrawer: () => null }));
vi.mock('@/ui/button', () => ({ Button: ({ disabledReason }: { disabledReason: string | null }) => disabledReason }));
vi.mock('@/ui/menu', () => ({ Menu: () => 'menu' }));
vi.mock('@/lib/i18n/use-t', () => ({ useT: () => (text: string) => text }));

describe('DiscoverButton', () => {
  beforeEach(() => {
    known = null;
  });

  it('does not say that there is no cluster while the clusters are not known', () => {
    expect(renderToStaticMarkup(<DiscoverButton />)).toBe('menu');
  });

  it('says that there is no cluster when there is none', () => {
    known = [];
    expect(renderToStaticMarkup(<DiscoverButton />)).toContain('There is no cluster');
  });
});
