'use client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type ForwardingDestination,
  ForwardingDestinationInput,
  ForwardingDestinationUpdate,
} from '@/domain/forwarding/destination';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC, useTRPCClient } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { DeleteDialog } from '../../shared/delete-dialog';
import { useVersioned } from '../../shared/record-cache';
import { RecordDrawer } from '../../shared/record-drawer';
import { useTenantOptions } from '../../shared/tenant-options';
import { VersionedDrawer } from '../../shared/versioned-form';
import { DestinationProgress } from './destination-progress';
import { DestinationTestResult, useDestinationTest } from './destination-test';
import { ForwardingFields } from './forwarding-fields';
import {
  EMPTY_DESTINATION,
  toDestinationInput,
  toDestinationUpdate,
  toDestinationValues,
} from './forwarding-form-values';

type Props = { destination: ForwardingDestination; onClose: () => void };

/** Makes a destination. Mount it when it opens. */
export function AddDestinationDrawer({ onClose }: { onClose: () => void }) {
  const t = useT();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const tenants = useTenantOptions('tenant:read');
  const save = useMutation(
    trpc.forwarding.create.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries(trpc.forwarding.pathFilter());
        onClose();
      },
    }),
  );
  return (
    <RecordDrawer
      title={t('Add destination')}
      description={t('Records created from now on are sent.')}
      defaultValues={{ ...EMPTY_DESTINATION, tenant_id: tenants[0]?.value ?? null }}
      schema={ForwardingDestinationInput}
      toInput={toDestinationInput}
      save={save}
      submitLabel={t('Add destination')}
      onClose={onClose}
    >
      {(control) => <ForwardingFields control={control} tenants={tenants} />}
    </RecordDrawer>
  );
}

/** Changes a destination, and shows how far it is. Mount it when it opens. */
export function EditDestinationDrawer({ destination, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const query = trpc.forwarding.get.queryOptions({ id: destination.id });
  const stored = useVersioned({
    query,
    saved: () => t('Destination saved'),
    outdated: [trpc.forwarding.pathFilter()],
    onClose,
  });
  const now = useQuery(query).data ?? destination;
  const test = useDestinationTest();
  return (
    <VersionedDrawer
      title={t('Edit {name}', { name: destination.name })}
      opened={destination}
      {...stored}
      schema={ForwardingDestinationUpdate}
      toValues={toDestinationValues}
      toInput={toDestinationUpdate}
      save={(input) => client.forwarding.update.mutate({ id: destination.id, ...input })}
      submitLabel={t('Save destination')}
    >
      {({ control }) => (
        <>
          <DestinationProgress destination={now} />
          <section aria-label={t('Test')} className="flex flex-col gap-2">
            <div className="flex flex-wrap items-center gap-2">
              <Button size="sm" onClick={() => test.send(destination)} pending={test.pending}>
                {t('Send test record')}
              </Button>
              <span className="text-sm text-muted">{t('Uses the saved settings.')}</span>
            </div>
            <DestinationTestResult {...test} />
          </section>
          <ForwardingFields control={control} stored={destination} />
        </>
      )}
    </VersionedDrawer>
  );
}

/** Asks before a destination goes. */
export function DeleteDestinationDialog({ destination, onClose }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const client = useTRPCClient();
  return (
    <DeleteDialog
      title={t('Delete destination {name}?', { name: destination.name })}
      confirmLabel={t('Delete destination')}
      name={destination.name}
      remove={() => client.forwarding.delete.mutate({ id: destination.id })}
      outdated={[trpc.forwarding.pathFilter()]}
      onClose={onClose}
    >
      <p>{t('Waiting records are not sent.')}</p>
    </DeleteDialog>
  );
}
