'use client';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Button } from '@/ui/button';
import { Combobox } from '@/ui/combobox';
import { CommandPalette } from '@/ui/command-palette';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { Dialog } from '@/ui/dialog';
import { Drawer } from '@/ui/drawer';
import { CidrField } from '@/ui/form/cidr-field';
import { ComboboxField } from '@/ui/form/combobox-field';
import { FormShell } from '@/ui/form/form-shell';
import { TextField } from '@/ui/form/text-field';
import { MultiCombobox } from '@/ui/multi-combobox';
import type { Option } from '@/ui/option';
import { KitPart, KitRow } from './kit-part';

const NODES: Option[] = ['pve-1', 'pve-2', 'pve-3', 'pve-4', 'edge-1', 'edge-2'].map((value) => ({
  value,
  label: value,
  description: value.startsWith('edge') ? 'Site Bern' : 'Site Zürich',
}));

type Overlay = 'dialog' | 'confirm' | 'typed' | 'drawer' | 'bottom' | 'palette' | null;

export function KitOverlays() {
  const [open, setOpen] = useState<Overlay>(null);
  const [node, setNode] = useState<Option | null>(NODES[0] ?? null);
  const [nodes, setNodes] = useState<Option[]>(NODES.slice(0, 2));
  const set = (overlay: Overlay) => (next: boolean) => setOpen(next ? overlay : null);
  return (
    <>
      <KitPart id="comboboxes" title="Comboboxes">
        <div className="grid gap-3 md:grid-cols-2">
          <Combobox aria-label="Node" value={node} onValueChange={setNode} options={NODES} clearable />
          <MultiCombobox aria-label="Nodes" value={nodes} onValueChange={setNodes} options={NODES} />
        </div>
      </KitPart>
      <KitPart id="overlays" title="Overlays">
        <KitRow>
          <Button onClick={() => setOpen('dialog')}>Dialog with a form</Button>
          <Button onClick={() => setOpen('confirm')}>Confirmation</Button>
          <Button onClick={() => setOpen('typed')}>Typed confirmation</Button>
          <Button onClick={() => setOpen('drawer')}>Drawer</Button>
          <Button onClick={() => setOpen('bottom')}>Bottom drawer</Button>
          <Button onClick={() => setOpen('palette')}>Command palette</Button>
        </KitRow>
      </KitPart>
      <Dialog
        open={open === 'dialog'}
        onOpenChange={set('dialog')}
        title="Add subnet"
        description="Addresses inside it are assigned to it at the next discovery."
        persistent
      >
        <SubnetForm onDone={() => setOpen(null)} />
      </Dialog>
      <ConfirmDialog
        open={open === 'confirm'}
        onOpenChange={set('confirm')}
        title="Remove web-01 from the group edge?"
        confirmLabel="Remove from group"
        pending={false}
        error={null}
        onConfirm={() => setOpen(null)}
      >
        <p>Two policies name this group. Their rules on web-01 are removed at the next apply.</p>
      </ConfirmDialog>
      <ConfirmDialog
        open={open === 'typed'}
        onOpenChange={set('typed')}
        title="Delete cluster prod-eu?"
        typed="prod-eu"
        confirmLabel="Delete cluster, 4 nodes and 42 guests"
        pending={false}
        error={{ title: 'The cluster is being synced', detail: 'Wait until the run has ended, then try again.' }}
        onConfirm={() => setOpen(null)}
      >
        <p>Its inventory, networks, subnets and addresses are deleted here. Nothing changes on the cluster itself.</p>
      </ConfirmDialog>
      <Drawer open={open === 'drawer'} onOpenChange={set('drawer')} title="web-01" description="VM 101 on pve-1">
        <SubnetForm onDone={() => setOpen(null)} />
      </Drawer>
      <Drawer open={open === 'bottom'} onOpenChange={set('bottom')} side="bottom" title="Filters">
        <p>Short content.</p>
      </Drawer>
      <CommandPalette
        open={open === 'palette'}
        onOpenChange={set('palette')}
        commands={[
          { id: 'a', label: 'Add cluster', group: 'Clusters', run: () => undefined },
          { id: 'b', label: 'Sync all clusters', group: 'Clusters', run: () => undefined },
          { id: 'c', label: 'Clusters', group: 'Go to', run: () => undefined },
          { id: 'd', label: 'Workloads', group: 'Go to', run: () => undefined },
        ]}
      />
    </>
  );
}

function SubnetForm({ onDone }: { onDone: () => void }) {
  const form = useForm({ defaultValues: { cidr: '10.0.0.5/24', gateway: '', node: 'pve-2' } });
  return (
    <FormShell
      form={form}
      onSubmit={onDone}
      error={null}
      pending={false}
      submitLabel="Add subnet"
      onCancel={onDone}
      layout="panel"
    >
      <CidrField control={form.control} name="cidr" label="Network" />
      <TextField control={form.control} name="gateway" label="Gateway" optional mono />
      <ComboboxField control={form.control} name="node" label="Node" options={NODES} optional />
    </FormShell>
  );
}
