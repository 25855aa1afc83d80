import type { UnresolvedReason } from '@/domain/policy/resolve';
import type { TestEndpoint } from '@/domain/policy-tests/test-endpoint';
import { msg } from '@/lib/i18n/translator';

/** What an endpoint names. */
export const ENDPOINT_KIND_LABELS: Record<TestEndpoint['kind'], string> = {
  any: msg('Any'),
  security_group: msg('Group'),
  vmid: msg('Workload by VMID'),
  network: msg('Network'),
  tag: msg('Tag'),
  address: msg('Address'),
  workload: msg('Workload'),
  node: msg('Node'),
};

/** Why an endpoint resolves to nothing. */
export const UNRESOLVED_LABELS: Record<UnresolvedReason, string> = {
  invalid: msg('Not a valid endpoint'),
  not_found: msg('No object has this name'),
  ambiguous: msg('Ambiguous name: use the ID or number of the object, or network:cluster/name for a network'),
  empty: msg('Currently resolves to no workload'),
  not_a_workload: msg('Not a workload: rules can be placed on workloads only'),
  template: msg('Contains only templates, which never run'),
  no_address: msg('No address known'),
};
