// relay: gives a program without network one address, and ends with it.
//
//   relay PORT SOCKET program argument...
//
// Connections to 127.0.0.1:PORT are joined to the Unix socket SOCKET, behind which SAGE speaks to the model. The
// program runs as a child with the same standard streams; its end is the end of the relay, which is the first process
// of the namespace that bubblewrap made around both, so that all in it end with it. Nothing in there can stop it or look
// into it. It counts what the program and all it starts use, for which a user without rights has no cgroup, and ends
// them when that is more than any agent needs.
#include <arpa/inet.h>
#include <dirent.h>
#include <ftw.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

namespace {

constexpr unsigned long long kMiB = 1u << 20;
constexpr unsigned long long kMostProcesses = 512;
constexpr unsigned long long kMostOnDisk = 512 * kMiB, kMostFiles = 20'000;  // in the project
constexpr unsigned long long kMostInTemporary = 512 * kMiB;                  // in each of them, which is memory
constexpr unsigned long long kMostMemory = 8'192 * kMiB;                     // and never more than half of the machine's
constexpr unsigned long long kLeastFree = 512 * kMiB;                        // and never more than a tenth
constexpr auto kLook = std::chrono::milliseconds(50);
constexpr int kLooksAtFiles = 20;  // files are counted at each twentieth look

bool send_all(int to, const char* data, ssize_t size) {
    for (ssize_t sent = 0; sent < size;) {
        const ssize_t now = send(to, data + sent, static_cast<size_t>(size - sent), MSG_NOSIGNAL);
        if (now <= 0) return false;
        sent += now;
    }
    return true;
}

/// Hands bytes on both ways until either side has closed; half-closed connections are of no use to HTTP clients.
void join(int one, int other) {
    char buffer[1 << 16];
    pollfd both[2] = {{one, POLLIN, 0}, {other, POLLIN, 0}};
    for (bool open = true; open && poll(both, 2, -1) > 0;) {
        for (int side = 0; side < 2 && open; ++side) {
            if (both[side].revents == 0) continue;
            const ssize_t size = recv(both[side].fd, buffer, sizeof buffer, 0);
            open = size > 0 && send_all(both[1 - side].fd, buffer, size);
        }
    }
    close(one);
    close(other);
}

int connected(const char* path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made >= 0 && connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return made;
    if (made >= 0) close(made);
    return -1;
}

/// Holds for the program and all it starts: what it could fill or use up of the machine beside its own memory.
void limit() {
    const rlimit file{256u << 20, 256u << 20}, open{4096, 4096}, core{0, 0};
    setrlimit(RLIMIT_FSIZE, &file);  // its folder and its log lie on the host's disk
    setrlimit(RLIMIT_NOFILE, &open);
    setrlimit(RLIMIT_CORE, &core);
    const rlimit processes{2 * kMostProcesses, 2 * kMostProcesses};
    setrlimit(RLIMIT_NPROC, &processes);  // counted in the namespace; not for root, of whom the watch counts them
}

[[noreturn]] void end(const std::string& why) {
    std::fprintf(stderr, "relay: the agent was ended: %s\n", why.c_str());
    _exit(71);
}

void require(unsigned long long used, unsigned long long most, const char* what) {
    if (used > most) end("more than " + std::to_string(most) + " " + what);
}

unsigned long long field(const char* file, const char* name) {
    char line[256];
    unsigned long long value = 0;
    if (FILE* table = std::fopen(file, "re")) {
        while (std::fgets(line, sizeof line, table) != nullptr)
            if (std::strncmp(line, name, std::strlen(name)) == 0) value = std::strtoull(line + std::strlen(name), nullptr, 10);
        std::fclose(table);
    }
    return value;
}

/// Bytes of memory that a process of the namespace holds.
unsigned long long held(const char* process) {
    unsigned long long all = 0, resident = 0;
    const std::string path = std::string("/proc/") + process + "/statm";
    if (FILE* table = std::fopen(path.c_str(), "re")) {
        if (std::fscanf(table, "%llu %llu", &all, &resident) != 2) resident = 0;
        std::fclose(table);
    }
    return resident * static_cast<unsigned long long>(sysconf(_SC_PAGESIZE));
}

void count_processes(unsigned long long most_memory) {
    DIR* table = opendir("/proc");
    if (table == nullptr) end("/proc cannot be read");
    unsigned long long processes = 0, memory = 0;
    while (const dirent* entry = readdir(table)) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
        if (++processes > kMostProcesses) break;
        memory += held(entry->d_name);
    }
    closedir(table);
    require(processes, kMostProcesses, "processes at a time");
    require(memory / kMiB, most_memory / kMiB, "MiB of memory");
}

unsigned long long files, disk;

int add(const char*, const struct stat* status, int, FTW*) {
    disk += static_cast<unsigned long long>(status->st_blocks) * 512;
    return ++files > kMostFiles || disk > kMostOnDisk ? 1 : 0;
}

void count_files() {
    files = disk = 0;
    nftw(".", add, 16, FTW_PHYS | FTW_MOUNT);
    require(files, kMostFiles, "files in the project");
    require(disk / kMiB, kMostOnDisk / kMiB, "MiB of files in the project");
    for (const char* place : {"/tmp", "/home", "/dev"}) {
        struct statvfs space {};
        if (statvfs(place, &space) != 0) continue;
        const unsigned long long used = (space.f_blocks - space.f_bfree) * space.f_frsize;
        require(used / kMiB, kMostInTemporary / kMiB, "MiB of temporary files");
    }
}

/// Ends all when it is too much. What is in no process, such as files in memory, shows in what the machine has left.
void watch() {
    const unsigned long long machine = 1024 * field("/proc/meminfo", "MemTotal:");
    const unsigned long long most = std::min(kMostMemory, machine / 2);
    const unsigned long long least = std::min(kLeastFree, machine / 10);
    for (int look = 0;; ++look) {
        count_processes(most);
        if (1024 * field("/proc/meminfo", "MemAvailable:") < least) end("the machine runs out of memory");
        if (look % kLooksAtFiles == 0) count_files();
        std::this_thread::sleep_for(kLook);
    }
}

int failed(const char* what) {
    std::perror(what);
    return 70;
}

}  // namespace

int main(int count, char** words) {
    if (count < 4) return 64;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(std::atoi(words[1])));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
        listen(listener, 64) != 0)
        return failed("relay");
    const pid_t program = fork();
    if (program < 0) return failed("relay");
    if (program == 0) {
        limit();
        execv(words[3], words + 3);
        std::perror(words[3]);
        _exit(127);
    }
    prctl(PR_SET_DUMPABLE, 0);  // nobody traces it
    std::thread(watch).detach();
    close(STDIN_FILENO);  // these belong to the program: who reads them must see it end
    close(STDOUT_FILENO);
    std::thread([program] {
        int status = 0;
        while (waitpid(-1, &status, 0) != program) continue;  // the first process of all buries them
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }).detach();
    for (;;) {
        const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (client < 0) continue;
        const int model = connected(words[2]);
        if (model < 0) {
            close(client);
            continue;
        }
        std::thread(join, client, model).detach();
    }
}
