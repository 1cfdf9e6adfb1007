// Where V8 makes objects. It goes by how long those of the same place in the code lived at first: after a backlog was
// read, which stays, it makes the rows of every hand-out among the old ones too, where they and all they point to stay
// until the whole heap is looked through. A broker's objects hardly ever outlive a request.

import { setFlagsFromString } from 'node:v8';

/** For a server, before it has much to do. A command would start more slowly: code that Node has ready is not used then. */
export function makeObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
