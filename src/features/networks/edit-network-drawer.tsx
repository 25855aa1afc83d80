'use client';
import type { NetworkDetail } from '@/domain/inventory';
import { NetworkUpdate } from '@/domain/ipam/network';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { NumberField } from '@/ui/form/number-field';
import { TextField } from '@/ui/form/text-field';
import { TextareaField } from '@/ui/form/textarea-field';
import { useVersioned } from '../shared/record-cache';
import { VersionedForm } from '../shared/versioned-form';
import { networkLabels, toNetworkUpdate, toNetworkValues } from './network-form-values';

type Props = { network: NetworkDetail; open: boolean; onClose: () => void };

/** Changes a network; of those that the cluster made only the description. */
export function EditNetworkDrawer({ network, open, onClose }: Props) {
  const t = useT();
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={t('Edit {name}', { name: network.name })}
      description={network.source === 'manual' ? undefined : t('Name and VLAN are set by the cluster.')}
    >
      <Content opened={network} onClose={onClose} />
    </Drawer>
  );
}

function Content({ opened, onClose }: { opened: NetworkDetail; onClose: () => void }) {
  const t = useT();
  const labels = networkLabels(t);
  const trpc = useTRPC();
  const client = useTRPCClient();
  const stored = useVersioned({
    query: trpc.networks.get.queryOptions({ id: opened.id }),
    saved: ({ name }) => t('{name} saved', { name }),
    outdated: [trpc.networks.pathFilter()],
    onClose,
  });
  const fixed = opened.source !== 'manual';
  return (
    <VersionedForm
      opened={opened}
      {...stored}
      schema={NetworkUpdate}
      toValues={toNetworkValues}
      toInput={toNetworkUpdate}
      save={(changes) => client.networks.update.mutate({ id: opened.id, ...changes })}
      submitLabel={t('Save network')}
      compare={{ labels }}
    >
      {({ control }) => (
        <>
          <TextField control={control} name="name" label={labels.name} disabled={fixed} />
          <NumberField
            control={control}
            name="vlan_tag"
            label={labels.vlan_tag}
            min={1}
            max={4094}
            optional
            steppers={false}
            disabled={fixed}
          />
          <TextareaField control={control} name="description" label={labels.description} rows={2} optional />
        </>
      )}
    </VersionedForm>
  );
}
