'use client';
import { Fingerprint } from 'lucide-react';
import { useMemo } from 'react';
import { parseIp } from '@/domain/net/ip-address';
import { normalizeMac } from '@/domain/net/mac-address';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import type { Command } from '@/ui/command-registry';
import { usePermissions } from '../shared/use-permissions';

const NONE: readonly Command[] = [];

/** Asks whose a pasted IP or MAC address is, below what is found under it: also of one that is not registered. */
export function useWhoseCommand(text: string, open: (href: string) => void): readonly Command[] {
  const t = useT();
  const { can } = usePermissions();
  const q = text.trim();
  const isAsked = can('ipam:read') && (parseIp(q) !== null || normalizeMac(q) !== null);
  return useMemo<readonly Command[]>(
    () =>
      isAsked
        ? [
            {
              id: 'whose',
              label: t('Whose address is {address}?', { address: q }),
              group: t('Addresses'),
              found: 'match',
              icon: <Fingerprint />,
              run: () => open(paths.addresses({ tab: 'whose', q })),
            },
          ]
        : NONE,
    [t, isAsked, q, open],
  );
}
