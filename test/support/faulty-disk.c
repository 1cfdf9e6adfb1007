// Loaded before the C library: while the file named by FAULT_FLAG exists, the disk fails for Banto's database. The
// first letter in it says how: `s` the data cannot be made durable, `f` there is no room, `w` writing fails.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char fault(void) {
  const char *path = getenv("FAULT_FLAG");
  if (path == NULL) return 0;
  int flag = open(path, O_RDONLY);
  if (flag < 0) return 0;
  char how = 0;
  if (read(flag, &how, 1) != 1) how = 0;
  close(flag);
  return how;
}

static int is_database(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, "banto.db") != NULL;
}

static int fails(int fd, char how) {
  if (!is_database(fd)) return 0;
  return fault() == how;
}

#define REAL(name, type) \
  static type real; \
  if (real == NULL) real = (type)dlsym(RTLD_NEXT, name)

typedef int (*Sync)(int);

int fsync(int fd) {
  REAL("fsync", Sync);
  if (fails(fd, 's')) { errno = EIO; return -1; }
  return real(fd);
}

int fdatasync(int fd) {
  REAL("fdatasync", Sync);
  if (fails(fd, 's')) { errno = EIO; return -1; }
  return real(fd);
}

ssize_t pwrite64(int fd, const void *data, size_t count, off64_t at) {
  typedef ssize_t (*Write)(int, const void *, size_t, off64_t);
  REAL("pwrite64", Write);
  if (fails(fd, 'f')) { errno = ENOSPC; return -1; }
  if (fails(fd, 'w')) { errno = EIO; return -1; }
  return real(fd, data, count, at);
}

ssize_t pwrite(int fd, const void *data, size_t count, off_t at) {
  return pwrite64(fd, data, count, at);
}

ssize_t write(int fd, const void *data, size_t count) {
  typedef ssize_t (*Write)(int, const void *, size_t);
  REAL("write", Write);
  if (fails(fd, 'f')) { errno = ENOSPC; return -1; }
  if (fails(fd, 'w')) { errno = EIO; return -1; }
  return real(fd, data, count);
}
