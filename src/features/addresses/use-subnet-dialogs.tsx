'use client';
import { useRouter } from 'next/navigation';
import { type ReactNode, useState } from 'react';
import type { SubnetDetail } from '@/domain/ipam/subnet';
import { paths } from '@/lib/paths';
import { loadLater, loadOnOpening } from '@/ui/load-on-opening';
import { useAdding } from '../shared/use-url-state';
import type { SubnetStart } from './add-subnet-drawer';
import { DeleteSubnetDialog } from './delete-subnet-dialog';

const NextPrefixDrawer = loadOnOpening(() => import('./next-prefix-drawer').then((module) => module.NextPrefixDrawer));

const EditSubnetDrawer = loadOnOpening(() => import('./edit-subnet-drawer').then((module) => module.EditSubnetDrawer));

const AddSubnetDrawer = loadOnOpening(() => import('./add-subnet-drawer').then((module) => module.AddSubnetDrawer));

// Most visits to these pages never open it.
const AddAddressDrawer = loadLater(() => import('./add-address-drawer').then((module) => module.AddAddressDrawer));

type Place = Pick<SubnetDetail, 'id' | 'cidr' | 'network_id' | 'network_name' | 'cluster_id'>;
type Target = Parameters<typeof EditSubnetDrawer>[0]['subnet'] & object;
type Open =
  | { kind: 'add'; start: SubnetStart }
  | { kind: 'edit'; subnet: Target }
  | { kind: 'next'; subnet: Pick<SubnetDetail, 'id' | 'cidr'> }
  | { kind: 'reserve'; subnet: Place }
  | { kind: 'delete'; subnet: Pick<SubnetDetail, 'id' | 'cidr'> };

/** What can be done with subnets, for every page that shows some. Render `dialogs` once. */
export function useSubnetDialogs({ onDeleted }: { onDeleted?: () => void } = {}) {
  const router = useRouter();
  const [open, setOpen] = useState<Open | null>(null);
  const [adding, setAdding] = useAdding('ipam:write');
  const close = () => setOpen(null);
  const dialogs: ReactNode = (
    <>
      <AddSubnetDrawer
        open={adding || open?.kind === 'add'}
        start={open?.kind === 'add' ? open.start : undefined}
        onClose={adding ? () => setAdding(false) : close}
        onAdded={(subnet) => {
          close();
          router.push(paths.subnet({ subnetId: subnet.id }));
        }}
      />
      <EditSubnetDrawer subnet={open?.kind === 'edit' ? open.subnet : null} onClose={close} />
      <NextPrefixDrawer
        subnet={open?.kind === 'next' ? open.subnet : null}
        onClose={close}
        onTaken={(path) => router.push(path)}
      />
      {open?.kind === 'reserve' && <AddAddressDrawer subnet={open.subnet} start={{ kind: 'next' }} onClose={close} />}
      <DeleteSubnetDialog
        subnet={open?.kind === 'delete' ? open.subnet : null}
        onClose={close}
        onDeleted={() => {
          close();
          onDeleted?.();
        }}
      />
    </>
  );
  return {
    dialogs,
    add: (start?: SubnetStart) => (start ? setOpen({ kind: 'add', start }) : setAdding(true)),
    edit: (subnet: Target) => setOpen({ kind: 'edit', subnet }),
    next: (subnet: Pick<SubnetDetail, 'id' | 'cidr'>) => setOpen({ kind: 'next', subnet }),
    /** Takes the next free address of a prefix. */
    reserve: (subnet: Place) => setOpen({ kind: 'reserve', subnet }),
    remove: (subnet: Pick<SubnetDetail, 'id' | 'cidr'>) => setOpen({ kind: 'delete', subnet }),
  };
}
