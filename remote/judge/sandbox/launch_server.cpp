// launch_server: starts confined programs on request, each in a process of its own, until nobody asks any more.
//
//   launch_server DESCRIPTOR          of a socket of packets (SOCK_SEQPACKET) to the judge
//
// A packet is one launch: the words of `confine` (confine.h), each ended by a zero byte, and descriptors: the line of
// this launch (another packet socket), the program, then those the program gets as 0, 1, and so on; 2 is a copy of 1.
// Over the line comes one byte from the new process before it gives anything up (by the sender of which the judge, in
// another PID namespace, learns its number), a text longer than an `Ending` where the program could not begin, and an
// `Ending` when the process is gone. A line the judge shuts down ends its process. The end of the socket ends all.
//
// The server holds no more than the lines of what runs; a program it starts holds none of that. It is our own code and
// trusted, so it stays outside Landlock and seccomp, but inside bubblewrap where there is one: a namespace is set up
// once for all launches, which is most of what isolation costs.
#include "confine.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cstdint>

namespace {

constexpr int kMostWords = 1 << 16;  // bytes
constexpr int kMostDescriptors = 16;
constexpr int kOutOfTheWay = 32;  // above every number a program gets
constexpr unsigned kCloseRangeCloexec = 4;

struct Ending {
    int32_t status;  ///< as waitpid() tells it
    int32_t padding;
    int64_t cpu_us;
};

struct Launched {
    pid_t process;
    int line;
    bool ended;  ///< was told to end
};

struct Packet {
    std::vector<char> words;
    std::vector<int> files;
};

/// The next request; false when the judge is gone.
bool receive(int judge, Packet& packet) {
    packet.words.resize(kMostWords);
    packet.files.clear();
    alignas(cmsghdr) char room[CMSG_SPACE(kMostDescriptors * sizeof(int))];
    iovec data{packet.words.data(), packet.words.size()};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof(room);
    const ssize_t size = recvmsg(judge, &message, MSG_CMSG_CLOEXEC);
    if (size <= 0) {
        return size < 0 && errno == EINTR;
    }
    const bool whole = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
    packet.words.resize(whole ? static_cast<size_t>(size) : 0);
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
        if (part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS) {
            const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            const size_t before = packet.files.size();
            packet.files.resize(before + count);
            std::memcpy(packet.files.data() + before, CMSG_DATA(part), count * sizeof(int));
        }
    }
    return true;
}

/// Places the program's descriptors at 0, 1, 2, ...; returns the number of the program, which is closed on exec, as is
/// everything else. `line` stays open until then, under a number of its own.
int arrange(const Packet& packet, int& line) {
    std::vector<int> high;
    for (const int file : packet.files) {
        high.push_back(fcntl(file, F_DUPFD_CLOEXEC, kOutOfTheWay));
        if (high.back() < 0) {
            return -1;
        }
    }
    line = high[0];
    int next = 0;
    for (size_t index = 2; index < high.size(); ++index) {
        if (dup2(high[index], next++) < 0 || (next == 2 && dup2(1, next++) < 0)) {
            return -1;
        }
    }
    if (dup3(high[1], next, O_CLOEXEC) < 0) {
        return -1;
    }
    const auto first = static_cast<unsigned>(next + 1);
    if (syscall(436 /* close_range */, first, ~0u, kCloseRangeCloexec) != 0) {  // Linux before 5.11
        for (int file = next + 1; file < 4096; ++file) {
            fcntl(file, F_SETFD, FD_CLOEXEC);
        }
    }
    return next;
}

/// Ends a process whose program could not begin. The judge hears of it over the line, which no program holds: the exit
/// code alone could be a candidate's. write(), since seccomp may be in force by now.
[[noreturn]] void give_up(int line, const char* what) {
    char text[256] = {};
    std::snprintf(text, sizeof(text), "%s: %s", what, std::strerror(errno));
    std::fprintf(stderr, "confine: %s\n", text);
    std::fflush(stderr);
    if (write(line, text, sizeof(text)) < 0) {
        _exit(kLayerMissing + 1);  // the judge is gone
    }
    _exit(kLayerMissing);
}

/// In the new process: becomes the program, or says over the line and on its output why not.
[[noreturn]] void become(Packet& packet, pid_t server) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    const bool tied = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == server && setpgid(0, 0) == 0;
    const bool said = tied && send(packet.files[0], "", 1, MSG_NOSIGNAL) == 1;
    int line = packet.files[0];
    const int program = said ? arrange(packet, line) : -1;
    char name[] = "launch";
    std::vector<char*> words{name};
    for (char* at = packet.words.data(); at < packet.words.data() + packet.words.size(); at += std::strlen(at) + 1) {
        words.push_back(at);
    }
    const int count = static_cast<int>(words.size());
    words.push_back(nullptr);
    Request request;
    if (program < 0 || !parse(count, words.data(), request) || request.program >= count) {
        give_up(line, "this launch cannot be prepared");
    }
    request.opened = program;
    request.environment.push_back(nullptr);
    if (confine(request)) {
        syscall(SYS_execveat, program, "", words.data() + request.program, request.environment.data(), AT_EMPTY_PATH);
        give_up(line, words[static_cast<size_t>(request.program)]);
    }
    give_up(line, "this launch cannot be confined");
}

void launch(Packet& packet, std::vector<Launched>& running) {
    if (packet.files.size() < 4 || packet.words.empty() || packet.words.back() != '\0') {
        for (const int file : packet.files) close(file);  // the judge sees the end of its line
        return;
    }
    const pid_t server = getpid();
    const pid_t process = fork();
    if (process == 0) {
        become(packet, server);
    }
    for (size_t index = process < 0 ? 0 : 1; index < packet.files.size(); ++index) close(packet.files[index]);
    if (process > 0) {
        running.push_back({process, packet.files[0], false});
    }
}

void reap(std::vector<Launched>& running) {
    int status = 0;
    rusage used{};
    for (pid_t process; (process = wait4(-1, &status, WNOHANG, &used)) > 0;) {
        for (size_t index = 0; index < running.size(); ++index) {
            if (running[index].process == process) {
                const Ending ending{status, 0,
                                    (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1'000'000ll +
                                        used.ru_utime.tv_usec + used.ru_stime.tv_usec};
                send(running[index].line, &ending, sizeof(ending), MSG_NOSIGNAL);
                close(running[index].line);
                running.erase(running.begin() + static_cast<long>(index));
                break;
            }
        }
    }
}

}  // namespace

int main(int count, char** arguments) {
    const int judge = count == 2 ? std::atoi(arguments[1]) : -1;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    if (judge < 3 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || sigprocmask(SIG_BLOCK, &child, nullptr) != 0 ||
        fcntl(judge, F_SETFD, FD_CLOEXEC) != 0) {
        std::fprintf(stderr, "usage: launch_server DESCRIPTOR\n");
        return kLayerMissing;
    }
    const int ended = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    std::vector<Launched> running;
    std::vector<pollfd> watched;
    Packet packet;
    for (;;) {
        watched = {{judge, POLLIN, 0}, {ended, POLLIN, 0}};
        for (const Launched& one : running) {
            watched.push_back({one.ended ? -1 : one.line, POLLIN, 0});
        }
        if (poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) {
            return 1;
        }
        for (size_t index = 2; index < watched.size(); ++index) {
            if (watched[index].revents != 0) {  // the judge says nothing on a line: it has shut it down
                kill(running[index - 2].process, SIGKILL);
                running[index - 2].ended = true;
            }
        }
        if (watched[1].revents != 0) {
            signalfd_siginfo told;
            while (read(ended, &told, sizeof(told)) > 0) {
            }
            reap(running);
        }
        if (watched[0].revents != 0) {
            if (!receive(judge, packet)) {
                break;
            }
            launch(packet, running);
        }
    }
    for (const Launched& one : running) kill(one.process, SIGKILL);
    return 0;
}
