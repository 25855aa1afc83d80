import { SetupInput, SetupResult, SetupStatus } from '@/domain/setup';
import { completeSetup, readSetupStatus } from '../../operation/setup/complete-setup';
import { defineRoute } from '../define-route';

export const setupRoutes = [
  defineRoute({
    method: 'GET',
    path: '/setup/status',
    summary: 'Get whether the first administrator exists, and whether creating one requires the setup code.',
    tag: 'Setup',
    access: { open: 'Before the first account exists, no user can sign in.' },
    response: { status: 200, schema: SetupStatus },
    handler: ({ scope }) => readSetupStatus(scope),
  }),
  defineRoute({
    method: 'POST',
    path: '/setup/complete',
    summary: 'Create the first administrator and, optionally, the first cluster. Works once.',
    tag: 'Setup',
    access: { open: 'Before the first account exists, no user can sign in; the setup code protects this operation.' },
    body: SetupInput,
    response: { status: 201, schema: SetupResult },
    handler: ({ scope, body }) => completeSetup(scope, body),
  }),
];
