/** The deployment, or the guest, is another worker's by now, or gone: nothing more is written. */
export class DeploymentLost extends Error {}
