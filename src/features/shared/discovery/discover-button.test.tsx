import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as translation from '@/lib/i18n/use-t';
import * as buttons from '@/ui/button';
import * as menus from '@/ui/menu';
import * as clusters from '../use-cluster-options';
import * as permissions from '../use-permissions';
import { DiscoverButton } from './discover-button';
import * as drawers from './discovery-drawer';
import * as discovering from './use-discover';

let known: { value: string; label: string }[] | null;
vi.spyOn(clusters, 'useKnownClusters').mockImplementation(() => known);
vi.spyOn(permissions, 'usePermissions').mockReturnValue({ reason: () => null, can: () => true } as never);
vi.spyOn(discovering, 'useDiscover').mockReturnValue({ mutate: () => {}, isPending: false } as never);
vi.spyOn(drawers, 'DiscoveryDrawer').mockReturnValue(null as never);
vi.spyOn(buttons, 'Button').mockImplementation(
  (({ disabledReason }: { disabledReason: string | null }) => disabledReason) as never,
);
vi.spyOn(menus, 'Menu').mockReturnValue('menu' as never);
vi.spyOn(translation, 'useT').mockReturnValue(((text: string) => text) as never);

describe('DiscoverButton', () => {
  beforeEach(() => {
    known = null;
  });

  it('does not say that there is no cluster while the clusters are not known', () => {
    expect(renderToStaticMarkup(<DiscoverButton />)).toBe('menu');
  });

  it('says that there is no cluster when there is none', () => {
    known = [];
    expect(renderToStaticMarkup(<DiscoverButton />)).toContain('No clusters yet');
  });
});
