'use client';
import { useQuery } from '@tanstack/react-query';
import { FlaskConical } from 'lucide-react';
import { useMemo } from 'react';
import { parseIp } from '@/domain/net/ip-address';
import { type PacketQuestion, parsePacketQuestion } from '@/domain/search/packet-question';
import type { SearchResult } from '@/domain/search/search';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { useTRPC } from '@/lib/trpc';
import type { Command } from '@/ui/command-registry';
import { usePermissions } from '../shared/use-permissions';
import { useDebounced } from '../shared/use-timers';

type End = { name: string; address: string | null; workload: SearchResult | null };
const NONE: readonly Command[] = [];

/** An end as it was typed: an address, or the best of the workloads. */
function useEnd(text: string, enabled: boolean): { end: End | null; searching: boolean } {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.search.find.queryOptions({ q: `vm ${text}`, limit: 1 }),
    enabled: enabled && text !== '',
  });
  const workload = query.data?.items.find(({ kind }) => kind === 'workload') ?? null;
  const end = useMemo(() => {
    const address = parseIp(text) ? text : (workload?.address ?? null);
    return workload || address ? { name: workload?.name ?? text, address, workload } : null;
  }, [text, workload]);
  return { end, searching: query.isFetching };
}

/** Opens the packet test of a workload, filled in: "test web-03 → pg-01". At the receiver first, where most rules are. */
export function usePacketCommands(text: string, open: (href: string) => void) {
  const t = useT();
  const { can } = usePermissions();
  const settled = useDebounced(text, 100);
  const question = useMemo(() => parsePacketQuestion(settled), [settled]);
  const enabled = question !== null && can('workload:read');
  const source = useEnd(question?.source ?? '', enabled);
  const destination = useEnd(question?.destination ?? '', enabled);
  const [from, to] = [source.end, destination.end];
  const commands = useMemo<readonly Command[]>(() => {
    if (!enabled || question === null || !from || !to) return NONE;
    const label = t('Test {source} → {destination}', {
      source: from.name,
      destination: question.port === null ? to.name : `${to.name}:${question.port}`,
    });
    const at = (direction: 'in' | 'out', { workload }: End, hint: string): Command[] =>
      workload
        ? [
            {
              id: `packet.${direction}`,
              label,
              hint,
              group: t('Test packet'),
              found: 'exact',
              icon: <FlaskConical />,
              run: () => open(getPacketHref(workload.id, direction, from, to, question)),
            },
          ]
        : [];
    return [
      ...at('in', to, t('Incoming at {name}', { name: to.name })),
      ...at('out', from, t('Outgoing at {name}', { name: from.name })),
    ];
  }, [t, enabled, question, from, to, open]);
  return { commands, searching: enabled && (source.searching || destination.searching || settled !== text) };
}

const getPacketHref = (
  workloadId: string,
  direction: 'in' | 'out',
  from: End,
  to: End,
  { protocol, port }: PacketQuestion,
) =>
  paths.workload({
    workloadId,
    tab: 'firewall',
    packet: direction,
    packet_source: from.address,
    packet_destination: to.address,
    packet_protocol: protocol,
    packet_port: port,
  });
