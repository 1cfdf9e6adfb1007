// Headers of the API that both sides name.

/** On every answer: it was a Banto that spoke, and not another program at the same address. */
export const API_HEADER = 'banto-api';
export const API_VERSION = '1';

/** The task that asking for the next one completed, also where the answer has no body, or is a refusal. */
export const COMPLETED_HEADER = 'banto-completed-task';
