import {
  ForwardingDestination,
  ForwardingDestinationInput,
  ForwardingDestinationListInput,
  ForwardingDestinationPage,
  ForwardingDestinationUpdate,
  ForwardingTestResult,
} from '@/domain/forwarding/destination';
import {
  createDestination,
  deleteDestination,
  readDestination,
  updateDestination,
} from '../../forwarding/destinations';
import { listDestinations } from '../../forwarding/queries/forwarding-destinations';
import { testDestination } from '../../forwarding/send-test';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Forwarding');
const reads = { permission: 'settings:read' } as const;
const writes = { permission: '*' } as const;

export const forwardingRouter = router({
  list: query({
    rest: 'GET /forwarding-destinations',
    summary: 'List destinations of audit records and conversations, with how far each is, without their secrets.',
    access: reads,
    input: ForwardingDestinationListInput,
    output: ForwardingDestinationPage,
    run: ({ input }) => listDestinations(input),
  }),
  create: mutation({
    rest: 'POST /forwarding-destinations',
    summary: 'Create a destination. It gets records from now on. Super administrators only.',
    access: writes,
    input: ForwardingDestinationInput,
    output: ForwardingDestination,
    status: 201,
    run: ({ scope, input }) => createDestination(scope, input),
  }),
  get: query({
    rest: 'GET /forwarding-destinations/{forwarding_destination_id}',
    summary: 'Get one destination.',
    access: reads,
    output: ForwardingDestination,
    run: ({ scope, params }) => readDestination(scope, params.forwarding_destination_id),
  }),
  update: mutation({
    rest: 'PATCH /forwarding-destinations/{forwarding_destination_id}',
    summary: 'Update a destination. If-Match or version prevents lost updates. Super administrators only.',
    access: writes,
    input: ForwardingDestinationUpdate,
    output: ForwardingDestination,
    run: ({ scope, params, input }) => updateDestination(scope, params.forwarding_destination_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /forwarding-destinations/{forwarding_destination_id}',
    summary: 'Delete a destination. What waits for it is not sent. Super administrators only.',
    access: writes,
    input: ByVersion,
    run: ({ scope, params, input }) => deleteDestination(scope, params.forwarding_destination_id, input.version),
  }),
  test: mutation({
    rest: 'POST /forwarding-destinations/{forwarding_destination_id}/test',
    summary: 'Send a test record to a destination, and wait for its receiver. Super administrators only.',
    access: writes,
    output: ForwardingTestResult,
    run: ({ scope, params }) => testDestination(scope, params.forwarding_destination_id),
  }),
});
