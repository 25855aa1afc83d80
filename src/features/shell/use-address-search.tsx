'use client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Cable, MapPin, Network } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { parseCidr } from '@/domain/net/cidr';
import { parseIp } from '@/domain/net/ip-address';
import { normalizeMac } from '@/domain/net/mac-address';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import type { Command } from '@/ui/command-registry';
import { usePermissions } from '../shared/use-permissions';
import { useDebounced } from '../shared/use-timers';

const NONE: readonly Command[] = [];

/** Who has the address, MAC address or network that was typed into the palette, as commands that lead there. */
export function useAddressSearch() {
  const t = useT();
  const trpc = useTRPC();
  const router = useRouter();
  const { can } = usePermissions();
  const [text, setText] = useState('');
  const wanted = can('ipam:read') && looksLikeAddress(text) ? text.trim() : '';
  const q = useDebounced(wanted, 150);
  const query = useQuery({
    ...trpc.ipam.search.queryOptions({ q: q || '-', limit: 8 }),
    enabled: q !== '',
    placeholderData: keepPreviousData,
  });
  const { data } = query;
  const found = useMemo<readonly Command[]>(() => {
    if (wanted === '' || !data) return NONE;
    const group = t('Addresses');
    return [
      ...data.addresses.map((item) => ({
        id: `address.${item.id}`,
        label: item.workload ? `${item.address} – ${item.workload.name}` : item.address,
        hint: [item.hostname, item.network_name, item.cluster_name].filter(Boolean).join(' · '),
        group,
        found: true,
        icon: <MapPin />,
        run: () => router.push(paths.address({ addressId: item.id })),
      })),
      ...data.interfaces.map((nic) => ({
        id: `nic.${nic.id}`,
        label: `${nic.workload_name} – ${nic.name}`,
        hint: `${nic.mac} · ${nic.cluster_name}`,
        group,
        found: true,
        icon: <Cable />,
        run: () => router.push(paths.workload({ workloadId: nic.workload_id })),
      })),
      ...data.subnets.map((subnet) => ({
        id: `subnet.${subnet.id}`,
        label: t('Prefix {cidr}', { cidr: subnet.cidr }),
        hint: `${subnet.network_name} · ${subnet.cluster_name}`,
        group,
        found: true,
        icon: <Network />,
        // A free address is shown where it lies.
        run: () =>
          router.push(
            paths.subnet({ subnetId: subnet.id, ...(data.kind === 'address' && { tab: 'grid', from: data.q }) }),
          ),
      })),
    ];
  }, [t, wanted, data, router]);
  return { found, search: setText, searching: wanted !== '' && (query.isFetching || q !== wanted) };
}

/** Whether a text is an address, a network or a MAC address, or surely the beginning of an IPv4 address. */
export function looksLikeAddress(text: string): boolean {
  const trimmed = text.trim();
  if (parseIp(trimmed) || normalizeMac(trimmed)) return true;
  if (trimmed.includes('/')) return parseCidr(trimmed) !== null;
  return /^\d{1,3}\.\d{1,3}(\.\d{0,3}){0,2}$/.test(trimmed) || /^[0-9a-f]{1,4}:[0-9a-f:]*$/i.test(trimmed);
}
