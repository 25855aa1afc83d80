'use client';
import { Plus } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { useMemo } from 'react';
import { paths } from '@/lib/paths';
import { Button } from '@/ui/button';
import { useCommands } from '@/ui/command-registry';
import { PageHeader } from '@/ui/page-header';
import { Tabs } from '@/ui/tabs';
import { usePermissions } from '../shared/use-permissions';
import { AddressTable } from './address-table';
import { ConflictTable } from './conflict-table';
import { Prefixes } from './prefixes';
import { useOpenConflicts } from './use-open-conflicts';
import { useSubnetDialogs } from './use-subnet-dialogs';

const TABS = ['prefixes', 'addresses', 'conflicts'] as const;

/** Prefixes, addresses and conflicts of all clusters. */
export function Addresses() {
  const router = useRouter();
  const { reason } = usePermissions();
  const writeReason = reason('ipam:write');
  const [tab] = useQueryState('tab', parseAsStringLiteral(TABS).withDefault('prefixes'));
  const subnets = useSubnetDialogs();
  const conflicts = useOpenConflicts();
  const { add } = subnets;
  useCommands(
    useMemo(
      () =>
        writeReason === null
          ? [{ id: 'addresses.add-subnet', label: 'Add subnet', group: 'Addresses', icon: <Plus />, run: () => add() }]
          : [],
      [writeReason, add],
    ),
  );
  return (
    <>
      <PageHeader
        title="Addresses"
        actions={
          <>
            <Button icon={<Plus size={14} />} onClick={() => add()} disabledReason={writeReason}>
              Add subnet
            </Button>
          </>
        }
      />
      <Tabs
        label="Parts of the address management"
        value={tab}
        onValueChange={(next) =>
          router.push(paths.addresses({ tab: next === 'prefixes' ? undefined : next }), { scroll: false })
        }
        tabs={[
          { value: 'prefixes', label: 'Prefixes', content: <Prefixes subnets={subnets} /> },
          { value: 'addresses', label: 'All addresses', content: <AddressTable /> },
          { value: 'conflicts', label: 'Conflicts', count: conflicts, content: <ConflictTable /> },
        ]}
      />
      {subnets.dialogs}
    </>
  );
}
