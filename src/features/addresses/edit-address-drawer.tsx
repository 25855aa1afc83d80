'use client';
import { AddressUpdate, type IpAddress } from '@/domain/ipam/ip-address';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Drawer } from '@/ui/drawer';
import { Notice } from '@/ui/notice';
import { useReadAgain, useSaved } from '../shared/record-cache';
import { VersionedForm } from '../shared/versioned-form';
import { AddressFields } from './address-fields';
import {
  addressFieldName,
  addressLabels,
  toAddressUpdate,
  toAddressValues,
  toComparableValues,
} from './address-form-values';

type Props = { address: IpAddress | null; onClose: () => void };

/** Changes who has an address and what is noted about it. */
export function EditAddressDrawer({ address, onClose }: Props) {
  const t = useT();
  return (
    <Drawer
      open={address !== null}
      onOpenChange={(next) => !next && onClose()}
      persistent
      title={address ? t('Edit {name}', { name: address.address }) : t('Edit address')}
      description={
        address
          ? t('In {cidr}, network {network}', { cidr: address.subnet_cidr, network: address.network_name })
          : undefined
      }
    >
      {address && <Content key={address.id} opened={address} onClose={onClose} />}
    </Drawer>
  );
}

function Content({ opened, onClose }: { opened: IpAddress; onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const readAgain = useReadAgain();
  const done = useSaved(onClose);
  return (
    <VersionedForm
      opened={opened}
      read={() => readAgain(trpc.ipAddresses.get.queryOptions({ id: opened.id }))}
      schema={AddressUpdate}
      toValues={toAddressValues}
      toInput={toAddressUpdate}
      fieldName={addressFieldName}
      save={(changes) => client.ipAddresses.update.mutate({ id: opened.id, ...changes })}
      onSaved={(saved) =>
        done(
          t('{name} saved', { name: saved.address }),
          trpc.ipAddresses.pathFilter(),
          trpc.subnets.pathFilter(),
          trpc.workloads.pathFilter(),
        )
      }
      submitLabel={t('Save address')}
      compare={{ labels: addressLabels(t), words: toComparableValues }}
      onClose={onClose}
    >
      {({ control, setValue }, base) => (
        <>
          {base.state === 'conflict' && (
            <Notice tone="warn" title={t('This address has an open conflict')}>
              {t('Resolve the conflict before you change state, workload or interface.')}
            </Notice>
          )}
          {base.source !== 'manual' && (
            <p className="text-pretty text-muted">
              {t(
                'This address was discovered. If you change its state, workload or interface, discovery keeps your values.',
              )}
            </p>
          )}
          <AddressFields control={control} setValue={setValue} clusterId={opened.cluster_id} />
        </>
      )}
    </VersionedForm>
  );
}
