// relay: gives a program without network one address, and ends with it.
//
//   relay PORT SOCKET program argument...
//
// Connections to 127.0.0.1:PORT are joined to the Unix socket SOCKET, behind which SAGE speaks to the model. The
// program runs as a child with the same standard streams; its end is the end of the relay, and of the namespace that
// bubblewrap made around both.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

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
    close(STDIN_FILENO);  // these belong to the program: who reads them must see it end
    close(STDOUT_FILENO);
    std::thread([program] {
        int status = 0;
        while (waitpid(program, &status, 0) < 0 && errno == EINTR) continue;
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
